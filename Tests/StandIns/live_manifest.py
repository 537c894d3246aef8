"""Makes a live DASH manifest from a complete one, for link-server.py.

Settings ("manifest"):
  path    the complete manifest, which has one period
  start   the seconds that are available at the first request
  speed   seconds of media for each second (default 1); for manifests with timelines only
  window  the seconds that stay available; for manifests with timelines only (default: all)
  skew    seconds by which the server's clock is ahead
  clock   "direct" or "head": how the manifest states the server's time (default: not at all)
  delay   suggestedPresentationDelay in seconds

A manifest with timelines is updated twice a second, and becomes a complete one at its end. A manifest with numbers is
not updated.
"""
import datetime, os, re, time


class LiveManifest:
    def __init__(self, folder, settings):
        self.settings, self.first = settings, None
        with open(os.path.join(folder, settings["path"])) as file: self.complete = file.read()
        self.length = float(re.search(r'mediaPresentationDuration="PT([0-9.]+)S"', self.complete)[1])

    def now(self):
        """The time of the server, in seconds since 1970."""
        return time.time() + self.settings.get("skew", 0)

    def text(self):
        if self.first is None: self.first = self.now()
        start, isTimeline = self.settings["start"], "<SegmentTimeline>" in self.complete
        passed = start + (self.now() - self.first) * self.settings.get("speed", 1)
        hasEnded = isTimeline and passed >= self.length + 0.1
        # Like FFmpeg's, the manifest states no start when the presentation has ended.
        fields = {"type": "static"} if hasEnded else {
            "type": "dynamic", "availabilityStartTime": date(self.first - start)}
        if hasEnded or not isTimeline: fields["mediaPresentationDuration"] = f"PT{self.length}S"
        if isTimeline and not hasEnded: fields["minimumUpdatePeriod"] = "PT0.5S"
        if "delay" in self.settings: fields["suggestedPresentationDelay"] = f"PT{self.settings['delay']}S"
        root = "<MPD " + " ".join(f'{name}="{value}"' for name, value in fields.items()) + ">"
        text = re.sub(r"<MPD[^>]*>", root, self.complete, count=1)
        text = re.sub(
            r'timescale="(\d+)"([^>]*)>\s*<SegmentTimeline>(.*?)</SegmentTimeline>',
            lambda match: self.slide(match, passed), text, flags=re.DOTALL)
        clock = self.settings.get("clock")
        value = {"direct": date(self.now()), "head": "clock"}.get(clock)
        if clock: text = text.replace(
            "</MPD>", f'<UTCTiming schemeIdUri="urn:mpeg:dash:utc:{"http-" if clock == "head" else ""}{clock}:2014" '
            f'value="{value}"/></MPD>')
        return text

    def slide(self, match, passed):
        """Returns a timeline with the segments that are available."""
        scale, entries, next = int(match[1]), [], 0
        for element in re.findall(r"<S ([^>]*)/>", match[3]):
            fields = {name: int(value) for name, value in re.findall(r'(\w)="(-?\d+)"', element)}
            next = fields.get("t", next)
            for _ in range(fields.get("r", 0) + 1):
                entries.append((next, fields["d"]))
                next += fields["d"]
        oldest = passed - self.settings.get("window", 1e9)
        visible = [(t, d) for t, d in entries if (t + d) / scale <= passed + 0.1 and (t + d) / scale > oldest]
        lines = "".join(f'<S t="{t}" d="{d}"/>' for t, d in visible)
        return f'timescale="{scale}"{match[2]}><SegmentTimeline>{lines}</SegmentTimeline>'

    def header(self):
        """The value of the field Date."""
        return time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(self.now()))


def date(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
