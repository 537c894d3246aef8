"""The download programs that scripts/compare-downloaders compares, a server with faults for each, and the judgement of
their files."""
import hashlib
import os
import re
import signal
import socket
import struct
import subprocess
import threading
import time

from background_rig import BUILD, ENGINE, LEDGER, Rig
from faulty_server import Connection, Server

NAME = "film.mkv"
BLOCK = 4096
PAGE = b"<!DOCTYPE html><title>Sign in</title>" + b"<p>Welcome to the network of this hotel.</p>" * 200
# The parts of the content after which the server waits for the script, and after which it cuts a connection.
HELD, CUT = 0.4, 0.3
# The seconds after which a step of a program counts as still running.
LIMIT = 15


def content(version, size):
    """Returns numbered blocks that also name the version, so that a wrong splice is noticed."""
    return b"".join(b"%s%014d\n" % (version, block) * (BLOCK // 16) for block in range(size // BLOCK))


class FilmServer(Server):
    """Serves one file. `faults` are those of the next requests, `lasting` is that of all requests after them."""

    def __init__(self, data):
        # A slow server sends few bytes in vain after a program has given up a response.
        super().__init__(FilmConnection, rate=32 << 20)
        self.data, self.entity, self.faults, self.lasting, self.fields = data, '"a"', [], None, {}
        self.is_held, self.release, self.log = threading.Event(), threading.Event(), []
        self.after_cut = lambda: None
        self.start()

    def fault(self):
        with self.lock:
            return self.faults.pop(0) if self.faults else self.lasting


class FilmConnection(Connection):
    """One connection of this server."""

    def reply(self, method, path, fields):
        server = self.server
        data, entity = server.data, server.entity
        fault = server.fault() if method == "GET" else None
        server.log.append((time.monotonic(), method, fields.get("range"), fault))
        if fault == "busy":
            return self.head("503 Busy", Retry_After=2, Content_Length=0)
        if fault == "page":
            self.head("200 OK", Content_Type="text/html", Content_Length=len(PAGE), Cache_Control="no-store")
            return self.write(PAGE)
        if method == "HEAD" and fields.get("if-none-match") == entity:
            return self.head("304 Not Modified", ETag=entity)
        start = self.wanted_start(fields, entity) if fault not in ("ignore", "short") else None
        if start is not None and start >= len(data):
            return self.head("416 Out of Range", Content_Range="bytes */%d" % len(data), Content_Length=0)
        answer = {"Content_Type": "video/x-matroska", **({"ETag": entity} if entity else {}), **server.fields}
        if fault in ("endless", "chunked"):
            part = data if fault == "endless" else data[:int(len(data) * CUT)]
            self.head("200 OK", Transfer_Encoding="chunked", **answer)
            self.wfile.write(b"%x\r\n" % len(part))
            self.write(part)
            self.wfile.write(b"\r\n")
            return fault == "endless" and self.hold()
        if fault == "wrong" and start is not None:
            start += BLOCK
        body = data[start or 0:]
        if start is not None:
            answer["Content_Range"] = "bytes %d-%d/%d" % (start, len(data) - 1, len(data))
        self.head("200 OK" if start is None else "206 Partial Content", Content_Length=len(body), **answer)
        return method == "HEAD" or self.body(body, fault)

    def body(self, body, fault):
        """Sends the body of a response."""
        if fault == "hold":
            part = int(len(body) * HELD)
            self.write(body[:part])
            return self.hold() and self.write(body[part:])
        if fault in ("close", "reset", "short"):
            self.write(body[:int(len(body) * CUT)])
            self.server.after_cut()
            if fault == "reset":
                # A socket that does not linger is closed with RST. Nothing may close it in the regular way before.
                time.sleep(0.5)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                os.close(self.connection.detach())
            return False
        return self.write(body)

    def hold(self):
        """Waits for the script. Returns whether the connection goes on."""
        self.server.is_held.set()
        return self.server.release.wait(30)


class Bench(Rig):
    """A download program with a server in private folders."""

    def __init__(self, data):
        super().__init__()
        os.mkdir(self.folder + "/home")
        self.environment["HOME"] = self.folder + "/home"
        self.server, self.data, self.child = FilmServer(data), data, None
        self.versions = {data: "whole"}

    # The options, those for a file that the server names, and those without resuming; the names of the processes.
    options, naming, plain, parts = [], [], [], [None]

    def command(self, options):
        return [self.name] + options + [self.server.address + NAME]

    def launch(self, options=None):
        """Starts the program."""
        with open(self.folder + "/messages", "ab") as messages:
            self.child = subprocess.Popen(
                self.command(self.options if options is None else options), env=self.environment, cwd=self.out,
                stdin=subprocess.DEVNULL, stdout=messages, stderr=messages, start_new_session=True)

    def wait(self, limit=LIMIT):
        """Returns the exit code of the program; None if it still runs after the limit in seconds."""
        try:
            return self.child.wait(limit)
        except subprocess.TimeoutExpired:
            return None

    def run(self, options=None, limit=LIMIT):
        """Runs the command, and returns its exit code; None if it still runs after the limit in seconds."""
        self.launch(options)
        return self.wait(limit)

    def resume(self, limit=LIMIT):
        """Continues an interrupted download as the program's documentation says: by the same command."""
        self.kill_all()
        return self.run(limit=limit)

    def reason(self):
        """Returns why the program still runs, as far as it says so."""
        return "still runs"

    def hold(self, fault="hold"):
        """Starts the program, and waits until it has received and written the first part."""
        self.server.faults = [fault]
        self.launch()
        if not self.server.is_held.wait(LIMIT):
            raise RuntimeError("%s has sent no request" % self.name)
        sizes, end = None, time.monotonic() + 5
        while time.monotonic() < end and (sizes is None or sizes != self.sizes()):
            sizes = self.sizes()
            time.sleep(0.4)

    def sizes(self):
        """Returns the files in the folder with their allocated sizes."""
        return {name: os.stat(self.out + "/" + name).st_blocks for name in os.listdir(self.out)}

    def kill_all(self):
        """Kills all processes of the program, and closes its held connection."""
        end = time.monotonic() + LIMIT
        while self.kill() and time.monotonic() < end:
            time.sleep(0.01)
        self.child.wait(LIMIT)

    def interrupt(self):
        """Ends the program with SIGINT, so that it stores its state, as after Ctrl-C. Kills it if that fails."""
        self.child.send_signal(signal.SIGINT)
        self.wait()
        self.kill_all()

    def close(self):
        self.clean()
        if self.child:
            self.child.wait()
        self.server.release.set()
        self.server.shutdown()
        self.server.server_close()

    def state(self, name=NAME):
        """Returns what the file under its final name contains."""
        try:
            with open(self.out + "/" + name, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return "absent"
        digests = {hashlib.sha256(version).digest(): text for version, text in self.versions.items()}
        if text := digests.get(hashlib.sha256(data).digest()):
            return text
        if data == PAGE:
            return "the page"
        kinds = set()
        for offset in range(0, len(data), BLOCK):
            kinds |= self.kinds(offset, data[offset:offset + BLOCK])
        return "damaged" if None in kinds else "mixed" if len(kinds) > 1 else "short"

    def kinds(self, offset, block):
        """Returns the versions from which a block consists; None stands for foreign bytes. Zeros are a hole."""
        versions = {text: data[offset:offset + len(block)] for data, text in self.versions.items()}
        for text, expected in versions.items():
            if block == expected:
                return {text}
        if not block.strip(b"\0"):
            return set()
        found = set()
        for index, byte in enumerate(block):
            if byte:
                matches = {text for text, expected in versions.items() if expected[index:index + 1] == bytes([byte])}
                # The versions differ in one byte of 16 only.
                found |= {None} if not matches else matches if len(matches) == 1 or len(versions) == 1 else set()
        return found


class Aria2(Bench):
    name = "aria2c"
    plain = ["--no-conf", "--retry-wait=1", "--max-tries=3"]
    naming = options = plain + ["--continue=true"]


class Curl(Bench):
    name = "curl"
    plain = ["--silent", "--show-error", "--fail", "--location", "--retry", "3", "--retry-delay", "1",
             "--retry-all-errors", "--remote-name"]
    options = plain + ["--continue-at", "-"]
    # curl refuses to resume a file whose name the server chooses.
    naming = plain + ["--remote-header-name"]


class Wget2(Bench):
    name = "wget2"
    plain = ["--no-config", "--progress=none", "--tries=3", "--waitretry=1"]
    options = plain + ["--continue"]
    naming = options + ["--content-disposition"]


class SwiftPlay(Bench):
    name = "swiftplay"
    parts = ["swiftplay", LEDGER, ENGINE]

    def command(self, options):
        return [BUILD + "/swiftplay", "download", self.server.address + NAME]

    def interrupt(self):
        """Kills all processes, because Ctrl-C does not stop the download."""
        self.kill_all()

    def resume(self, limit=LIMIT):
        """Starts the processes again, as each command does, and waits for the transfer. `resume` ends its pauses."""
        self.transfers("resume", "all")
        self.child = self.start([BUILD + "/swiftplay", "transfers", "watch"])
        return self.wait(limit)

    def transfers(self, *arguments):
        """Returns the output of swiftplay transfers."""
        return subprocess.run(
            [BUILD + "/swiftplay", "transfers"] + list(arguments), env=self.environment, capture_output=True,
            text=True, timeout=LIMIT).stdout

    def reason(self):
        state = self.transfers().splitlines()[-1].split("  ")[-1].strip()
        return re.sub(r" in \d+ \w+", "", re.split(r"[:;(]", state)[0]).strip()
