"""Players over simulated links: the server, the streams, and the measured processes."""
import json, os, socket, subprocess, sys, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SEGMENT = 4


def make_stream(folder, variants, seconds, preset="ultrafast", filters="null"):
    """Makes a stream with variants of (size, video rate, declared kb/s) in a folder, unless it is there."""
    if os.path.exists(folder + "/stream.m3u8"): return
    lines = ["#EXTM3U", "#EXT-X-INDEPENDENT-SEGMENTS"]
    for size, rate, declared in variants:
        os.makedirs(f"{folder}/{declared}", exist_ok=True)
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=size={size}:rate=25:duration={seconds}",
             "-f", "lavfi", "-i", f"sine=frequency=440:duration={seconds}", "-vf", filters, "-c:v", "libx264",
             "-preset", preset,
             "-b:v", rate, "-maxrate", rate, "-bufsize", rate, "-g", "100", "-keyint_min", "100", "-sc_threshold", "0",
             "-c:a", "aac", "-b:a", "64k", "-f", "hls", "-hls_time", str(SEGMENT), "-hls_list_size", "0",
             "-hls_playlist_type", "vod", f"{folder}/{declared}/list.m3u8"], check=True)
        lines.append(f'#EXT-X-STREAM-INF:BANDWIDTH={declared * 1000},RESOLUTION={size},CODECS="avc1.640020,mp4a.40.2"')
        lines.append(f"{declared}/list.m3u8")
    with open(folder + "/stream.m3u8", "w") as file: file.write("\n".join(lines) + "\n")


class Server:
    """The server of a folder behind a link, for the duration of a `with` statement."""

    def __init__(self, folder, settings, scratch):
        self.folder, self.settings, self.log = folder, settings, scratch + "/log"

    def __enter__(self):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [sys.executable, ROOT + "/Tests/StandIns/link-server.py", self.folder, json.dumps(self.settings)],
                stdout=subprocess.PIPE, stderr=log, text=True)
        self.address = f"http://127.0.0.1:{self.process.stdout.readline().split()[1]}"
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def requests(self):
        with open(self.log) as log: return [json.loads(line) for line in log if line.startswith("{")]


def user():
    """Returns the prefix of commands that refuse to run as root."""
    return ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []


def silent_command(player, programs, address):
    """Returns the command line of a player without picture and sound output."""
    return {
        "swiftplay": [programs + "/swiftplay", "--vo=null", "--ao=null", address],
        "mpv": ["mpv", "--no-config", "--vo=null", "--ao=null", "--really-quiet", address],
        "vlc": user() + ["cvlc", "--vout=dummy", "--aout=dummy", "--play-and-exit", "--quiet", address],
        "gstreamer": ["gst-launch-1.0", "-q", "playbin3", "uri=" + address, "video-sink=\"fakesink sync=true\"",
                      "audio-sink=\"fakesink sync=true\""],
    }[player]


def play(command, control=None, timeout=900):
    """Runs a player to its end. Returns the seconds until its end and, if `control` is the path of its IPC socket,
    until its first picture."""
    home = os.environ.get("TMPDIR", "/tmp")
    environment = dict(os.environ, HOME=home)
    began, first = time.monotonic(), None
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        if control:
            events = Events(control)
            events.wait_for("playback-restart")
            first = time.monotonic() - began
            events.socket.close()
        process.wait(timeout)
    finally:
        process.kill()
        process.wait()
    return time.monotonic() - began, first


class Events:
    """A client of mpv's JSON IPC, which swiftplay supports too."""

    def __init__(self, path):
        self.socket, deadline = socket.socket(socket.AF_UNIX), time.monotonic() + 10
        while True:
            try:
                self.socket.connect(path)
                break
            except OSError:
                if time.monotonic() > deadline: raise
                time.sleep(0.002)
        self.socket.settimeout(120)
        self.lines = self.socket.makefile("r")

    def wait_for(self, event):
        while json.loads(self.lines.readline()).get("event") != event: pass

    def get(self, name):
        self.socket.sendall((json.dumps({"command": ["get_property", name], "request_id": 7}) + "\n").encode())
        while (reply := json.loads(self.lines.readline())).get("request_id") != 7: pass
        return reply.get("data")


def cpu_seconds(process):
    with open(f"/proc/{process}/stat") as file: fields = file.read().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(process):
    """Returns the proportional set size in MB: a page that n processes share counts as 1/n."""
    with open(f"/proc/{process}/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024


def compositor():
    """Returns the process ID of this desktop's compositor, or None."""
    mark = f"XDG_RUNTIME_DIR={os.environ['XDG_RUNTIME_DIR']}".encode()
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.basename(os.readlink(f"/proc/{entry}/exe")) == "swiftplay-compositor":
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if mark in file.read().split(b"\0"): return int(entry)
        except OSError:
            pass
    return None
