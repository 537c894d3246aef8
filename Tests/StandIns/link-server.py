#!/usr/bin/env python3
"""An HTTP/1.1 server behind one simulated link, for tests and benchmarks of streaming.

usage: link-server.py FOLDER [SETTINGS [CHANGES]]

SETTINGS is a JSON object. CHANGES is the path of a file with another one, which is read at each SIGUSR1 and changes
settings while the server runs:
  rate       megabits per second of the whole link, for all connections together; null for no limit
  trace      [[seconds, megabits per second], ...]: rates from the first request on; the last one stays
  latency    seconds before the first byte of each response
  cutEvery   seconds after which all connections are closed, again and again, from the first request on
  ranges     whether byte ranges are served (default true)
  certificate  path of a certificate (.pem) and its key (.key) without the extensions
  live       serves playlists as sliding windows: {"list": PATH or [PATH, ...], "window": SEGMENTS, "start": SEGMENTS in
             the first response, "speed": FACTOR, "stopAfter": SECONDS after which no segment is new, "endAfter":
             SECONDS until EXT-X-ENDLIST, "event": keep all segments, "loop": repeat the segments after a
             discontinuity, "dates": state dates from 2026-01-01 on, "tags": [LINE, ...] for the head, "shift": NUMBER
             added to the numbers, "skip": SECONDS that pass when the settings change}, or a list of such objects, each
             with its own clock
  manifest   a live DASH manifest, as live_manifest.py describes; every response then has the field Date
  rules      [{"path": REGEX, ...}, ...]: faults of the requests whose path matches; the first matching rule applies:
             skip N: not the first N requests; times N: only N requests; status N: respond with an error;
             retryAfter N; rate N: the link's rate from then on; cut N: close after N bytes; delay S: wait before the
             response; hang: never respond;
             cookie TEXT: set a cookie; length N: state a wrong length that differs by N; redirect ADDRESS; type MIME;
             body TEXT; unbounded: state no length, so that the end of the connection ends the body; abrupt: end the
             connection without the alert close_notify of TLS

Prints "port N". Writes one JSON object for each request to standard error: start and end in seconds since the first
request, path, status, range, sent and asked bytes, and the number of the connection.
"""
import asyncio, datetime, json, os, re, signal, socket, ssl, sys, time, urllib.parse
from live_manifest import LiveManifest

TYPES = {".m3u8": "application/vnd.apple.mpegurl", ".ts": "video/mp2t", ".mp4": "video/mp4", ".m4s": "video/mp4",
         ".aac": "audio/aac", ".vtt": "text/vtt", ".mpd": "application/dash+xml"}
BUCKET = 16 * 1024


class Link:
    """The simulated link: one token bucket for all connections, filled at the current rate."""

    def __init__(self, settings):
        self.settings, self.first, self.tokens, self.filled = settings, None, BUCKET, time.monotonic()
        self.turn = asyncio.Lock()

    def begin(self):
        if self.first is None: self.first = time.monotonic()

    def elapsed(self): return 0 if self.first is None else time.monotonic() - self.first

    def rate(self):
        """Bytes per second; None for no limit."""
        trace = self.settings.get("trace")
        if trace:
            left = self.elapsed()
            for seconds, rate in trace:
                if left < seconds: return rate * 125_000
                left -= seconds
            return trace[-1][1] * 125_000
        rate = self.settings.get("rate")
        return None if rate is None else rate * 125_000

    async def take(self, count):
        """Waits until `count` bytes (at most the bucket) may be sent. Connections take turns."""
        async with self.turn:
            while True:
                rate, now = self.rate(), time.monotonic()
                if rate is None: return
                self.tokens = min(BUCKET, self.tokens + (now - self.filled) * rate)
                self.filled = now
                if self.tokens >= count:
                    self.tokens -= count
                    return
                await asyncio.sleep(min(0.05, (count - self.tokens) / rate if rate else 0.05))


class Live:
    """Playlists of which only a window is visible, which slides by the time. Their clock starts at the first request,
    with the first segments; it is shared by all lists."""

    def __init__(self, folder, settings, index):
        self.all, self.index, self.folder, self.last, self.passed, self.lists = settings, index, folder, None, 0, {}

    @staticmethod
    def items(settings):
        live = settings.get("live", [])
        return live if isinstance(live, list) else [live]

    def settings(self): return self.items(self.all)[self.index]

    def advance(self):
        """Adds the time since the last call, multiplied by the present speed, to the stream's clock."""
        now, stop = time.monotonic(), self.settings().get("stopAfter", 1e9)
        if self.last is not None:
            self.passed = max(self.passed, min(self.passed + (now - self.last) * self.settings().get("speed", 1), stop))
            self.last = now

    def load(self, name):
        """The head of a playlist and its segments: duration, address and tags."""
        if name in self.lists: return self.lists[name]
        lines = open(os.path.join(self.folder, name)).read().splitlines()
        head = [line for line in lines if re.match(r"#EXT(M3U|-X-(VERSION|TARGETDURATION|INDEPENDENT|MAP))", line)]
        segments, duration, tags = [], 0, []
        for line in lines:
            if line.startswith("#EXTINF:"): duration = float(line[8:].split(",")[0])
            elif line.startswith(("#EXT-X-DISCONTINUITY", "#EXT-X-PROGRAM-DATE-TIME")): tags.append(line)
            elif line and not line.startswith("#"):
                segments.append((duration, line, tags))
                tags = []
        self.lists[name] = head, segments
        return head, segments

    def text(self, name):
        if self.last is None: self.last = time.monotonic()
        self.advance()
        settings, (head, segments) = self.settings(), self.load(name)
        isLooping, total = settings.get("loop"), len(segments)
        count, left = settings.get("start", 3), self.passed
        while (isLooping or count < total) and left >= segments[count % total][0]:
            left -= segments[count % total][0]
            count += 1
        start = 0 if settings.get("event") else max(0, count - settings.get("window", 6))
        shift = settings.get("shift", 0)
        out = head + settings.get("tags", []) + [f"#EXT-X-MEDIA-SEQUENCE:{start + shift}"]
        if settings.get("event"): out.append("#EXT-X-PLAYLIST-TYPE:EVENT")
        if isLooping: out.append(f"#EXT-X-DISCONTINUITY-SEQUENCE:{(start - 1) // total if start else 0}")
        position = sum(segment[0] for segment in segments) * (start // total)
        position += sum(segment[0] for segment in segments[:start % total])
        for number in range(start, count):
            duration, address, tags = segments[number % total]
            if number and number % total == 0: out.append("#EXT-X-DISCONTINUITY")
            if settings.get("dates"):
                date = datetime.datetime.fromtimestamp(1_767_225_600 + position, datetime.timezone.utc)
                out.append("#EXT-X-PROGRAM-DATE-TIME:" + date.strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
            position += duration
            out += tags + [f"#EXTINF:{duration},", address]
        if self.passed >= settings.get("endAfter", 1e9): out.append("#EXT-X-ENDLIST")
        return "\n".join(out) + "\n"


class Server:
    def __init__(self, folder, settings):
        self.folder, self.settings = folder, settings
        self.link, self.counts, self.connections, self.open = Link(settings), {}, 0, set()
        self.live = {}
        for index, item in enumerate(Live.items(settings)):
            live, names = Live(folder, settings, index), item["list"]
            for name in names if isinstance(names, list) else [names]: self.live[name] = live
        self.manifest = LiveManifest(folder, settings["manifest"]) if "manifest" in settings else None

    def rule(self, path):
        """Returns the first rule that matches a request; None if no rule matches."""
        for number, rule in enumerate(self.settings.get("rules", [])):
            if not re.search(rule["path"], path): continue
            key = json.dumps(rule)
            count = self.counts[key] = self.counts.get(key, 0) + 1
            if count <= rule.get("skip", 0) or count > rule.get("skip", 0) + rule.get("times", 1e9): continue
            return rule
        return None

    async def serve(self, reader, writer):
        self.connections += 1
        number = self.connections
        self.open.add(writer)
        try:
            while await self.respond(reader, writer, number): pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ssl.SSLError): pass
        finally:
            self.open.discard(writer)
            writer.close()

    async def respond(self, reader, writer, number):
        """Answers one request; returns whether the connection stays open."""
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ")
        fields = {k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:])}
        self.link.begin()
        entry = {"start": round(self.link.elapsed(), 3), "path": target, "connection": number, "sent": 0,
                 "range": fields.get("range"), "fields": fields}
        try:
            return await self.answer(target, fields, writer, entry)
        finally:
            entry["end"] = round(self.link.elapsed(), 3)
            print(json.dumps(entry), file=sys.stderr, flush=True)

    async def answer(self, target, fields, writer, entry):
        path = urllib.parse.unquote(target.split("?")[0]).lstrip("/")
        rule = self.rule(target) or {}
        if "rate" in rule: self.settings["rate"] = rule["rate"]
        await asyncio.sleep(self.settings.get("latency", 0) + rule.get("delay", 0))
        if rule.get("hang"):
            await asyncio.sleep(3600)
        status, extra, data = 200, {}, b""
        if "redirect" in rule:
            status, extra["Location"] = 302, rule["redirect"]
        elif "status" in rule:
            status, data = rule["status"], b"an error page"
            if "retryAfter" in rule: extra["Retry-After"] = str(rule["retryAfter"])
        elif "body" in rule:
            data = rule["body"].encode()
        elif path in self.live:
            data = self.live[path].text(path).encode()
        elif self.manifest and path in (self.manifest.settings["path"], "clock"):
            data = self.manifest.text().encode()
        else:
            name = os.path.normpath(os.path.join(self.folder, path))
            try:
                if not name.startswith(self.folder): raise FileNotFoundError
                with open(name, "rb") as file: data = file.read()
                stamp = f'"{os.stat(name).st_mtime_ns}"'
                extra["ETag"] = stamp
            except OSError:
                status, data = 404, b"not found"
        total, start = len(data), 0
        if self.settings.get("ranges", True) and status == 200:
            extra["Accept-Ranges"] = "bytes"
            match = re.match(r"bytes=(\d+)-(\d*)$", fields.get("range", ""))
            isSame = fields.get("if-range", extra.get("ETag")) == extra.get("ETag")
            if match and isSame:
                start = int(match[1])
                if start >= total:
                    status, data, extra["Content-Range"] = 416, b"", f"bytes */{total}"
                else:
                    end = min(int(match[2] or total - 1), total - 1)
                    status, data = 206, data[start:end + 1]
                    extra["Content-Range"] = f"bytes {start}-{end}/{total}"
        entry["status"], entry["asked"] = status, len(data)
        kind = rule.get("type") or TYPES.get(os.path.splitext(path)[1], "application/octet-stream")
        length = len(data) + rule.get("length", 0)
        if self.manifest: extra["Date"] = self.manifest.header()
        if "cookie" in rule: extra["Set-Cookie"] = rule["cookie"]
        if not rule.get("unbounded"): extra["Content-Length"] = length
        out = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}"] + [f"{k}: {v}" for k, v in extra.items()]
        writer.write(("\r\n".join(out) + "\r\n\r\n").encode("latin-1"))
        limit = rule.get("cut", len(data))
        sent = 0
        while sent < min(limit, len(data)):
            piece = data[sent:sent + min(4096, limit - sent)]
            await self.link.take(len(piece))
            writer.write(piece)
            await writer.drain()
            sent += len(piece)
            entry["sent"] = sent
        await writer.drain()
        if rule.get("abrupt"): writer.get_extra_info("socket").shutdown(socket.SHUT_WR)
        return limit >= len(data) and not {"length", "unbounded", "abrupt"} & rule.keys()

    async def cut(self):
        """Closes all connections every `cutEvery` seconds."""
        done = 0
        while True:
            await asyncio.sleep(0.05)
            every = self.settings.get("cutEvery")
            if every and self.link.elapsed() // every > done:
                done = self.link.elapsed() // every
                for writer in list(self.open): writer.transport.abort()

    def change(self, path):
        """Reads changed settings from the file at `path`."""
        for live in set(self.live.values()): live.advance()
        self.settings.update(json.load(open(path)))
        for live in set(self.live.values()): live.passed += live.settings().get("skip", 0)
        print("changed", flush=True)


async def main():
    folder = os.path.abspath(sys.argv[1])
    settings = json.loads(sys.argv[2]) if len(sys.argv) > 2 else {}
    server, context = Server(folder, settings), None
    if "certificate" in settings:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(settings["certificate"] + ".pem", settings["certificate"] + ".key")
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, ssl=context, limit=1 << 20)
    if len(sys.argv) > 3:
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, server.change, sys.argv[3])
    print("port", listening.sockets[0].getsockname()[1], flush=True)
    work = asyncio.gather(server.cut(), listening.serve_forever())
    # On SIGTERM, cancel all tasks: each unfinished request is then logged before the server exits.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, lambda: [t.cancel() for t in asyncio.all_tasks()])
    try: await work
    except asyncio.CancelledError: pass

asyncio.run(main())
