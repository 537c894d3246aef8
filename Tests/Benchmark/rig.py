"""Shared parts of all measurements: players, recordings of screen and sound, process costs, and the result table."""
import argparse
import array
import json
import os
import platform
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("--programs", required=True)
parser.add_argument("--clips", required=True)
parser.add_argument("--quick", action="store_true")
parser.add_argument("--load", action="store_true")
parser.add_argument("--every", action="store_true")
parser.add_argument("--plot")
parser.add_argument("--photo")
parser.add_argument("--only", default="handoffs,sync,start,memory,cpu,copies,seek,decode,busy,sessions,terminal")
options = parser.parse_args()
MPV, FFPLAY = shutil.which("mpv"), shutil.which("ffplay")
RUNS = 1 if options.quick else 3
SOCKET = os.path.join(os.environ["XDG_RUNTIME_DIR"], "bench.sock")
RATE, WINDOW = 48000, 96  # samples a second; samples in 2 ms


def now():
    return time.clock_gettime(time.CLOCK_MONOTONIC)


def clip(name):
    return os.path.join(options.clips, name)


def swiftplay(file, *arguments):
    return [os.path.join(options.programs, "swiftplay"), "--keep-open=yes", *arguments, file]


def mpv(file, *arguments):
    return [MPV, "--vo=x11", "--ao=alsa", "--no-config", "--no-terminal", "--keep-open=yes", *arguments, file]


def ffplay(file, *arguments):
    return [FFPLAY, "-loglevel", "quiet", *arguments, file]


# For each player, the name of its window for watch.c, and the function that returns its command.
PLAYERS = {"swiftplay": ("swiftplay", swiftplay), **({"mpv": ("@mpv", mpv)} if MPV else {})}
ALL_PLAYERS = {**PLAYERS, **({"ffplay": ("ffplay", ffplay)} if FFPLAY else {})}


def end(process):
    """Ends a process, and kills it if it still runs after 5 s."""
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Program:
    """A player that runs for the duration of a `with` statement."""

    def __init__(self, command):
        self.command = command

    def __enter__(self):
        self.started = now()
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(self.command, stdin=quiet, stdout=quiet, stderr=quiet)
        return self

    def __exit__(self, *_):
        end(self.process)


class Remote:
    """A client of mpv's JSON IPC, which swiftplay supports too."""

    def __init__(self, path=SOCKET):
        self.socket = socket.socket(socket.AF_UNIX)
        deadline = now() + 10
        while True:
            try:
                self.socket.connect(path)
                break
            except OSError:
                if now() > deadline:
                    raise
                time.sleep(0.02)
        self.socket.settimeout(10)
        self.lines = self.socket.makefile("r")

    def send(self, *command):
        """Sends a command without waiting for the reply."""
        self.socket.sendall((json.dumps({"command": command}) + "\n").encode())

    def ask(self, *command):
        self.socket.sendall((json.dumps({"command": command, "request_id": 7}) + "\n").encode())
        while True:
            reply = json.loads(self.lines.readline())
            if reply.get("request_id") == 7:
                return reply.get("data")

    def wait_for(self, name, value):
        self.wait_until(name, f"become {value}", lambda current: current == value)

    def wait_until(self, name, what, condition):
        deadline = now() + 10
        while not condition(self.ask("get_property", name)):
            if now() > deadline:
                sys.exit(f"bench: property {name} did not {what} within 10 s")
            time.sleep(0.02)


class Watch:
    """Records the frame numbers on the screen and the audio of the sink, from construction until `finish`."""

    def __init__(self, seconds, *names):
        self.recorder = subprocess.Popen(
            ["parec", "--latency-msec=5", "--raw", f"--rate={RATE}", "--channels=2", "--format=s16le",
             "--device=null.monitor"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.sound, self.arrivals = array.array("h"), []
        self.reader = threading.Thread(target=self.read_sound)
        self.reader.start()
        # The output goes to a file, because a full pipe would stop the program.
        self.output = tempfile.TemporaryFile("w+")
        watch = os.path.join(options.clips, "watch")
        self.watch = subprocess.Popen([watch, os.environ["DESK_SCREEN"], str(seconds), *names], stdout=self.output)

    def read_sound(self):
        rest = b""
        while data := os.read(self.recorder.stdout.fileno(), 65536):
            data = rest + data
            whole = len(data) // 4 * 4
            rest = data[whole:]
            stereo = array.array("h", data[:whole])
            self.sound.extend(stereo[::2])
            self.arrivals.append((now(), len(self.sound)))

    def finish(self):
        self.watch.wait()
        self.output.seek(0)
        text = self.output.read()
        self.recorder.terminate()
        self.recorder.wait()
        self.reader.join()
        self.events = [(float(t), name, int(frame)) for t, name, frame in (line.split() for line in text.splitlines())]
        # If the sound server stalls, the player's clock stops too, so that the run does not measure the player.
        pause = max((b[0] - a[0] for a, b in zip(self.arrivals, self.arrivals[1:])), default=0)
        if pause > 0.3:
            warnings.append(f"the sound server stalled for {1000 * pause:.0f} ms in one run; repeat the measurement")
        # The time of sample 0: the 10th percentile of arrival time minus stream position, which ignores late fragments.
        delays = sorted(t - n / RATE for t, n in self.arrivals)
        self.origin = delays[len(delays) // 10] if delays else 0
        self.loudness = [
            max(max(part), -min(part)) / 32768
            for part in (self.sound[i:i + WINDOW] for i in range(0, len(self.sound) - WINDOW + 1, WINDOW))]
        return self

    def frames(self, name, since=0.0, until=float("inf")):
        return [(t, frame) for t, n, frame in self.events if n == name and frame >= 0 and since <= t <= until]

    def time_of(self, index):
        """Returns the time at which the sink played a window of the recording."""
        return self.origin + index * WINDOW / RATE

    def silence(self, since, until):
        """Returns the milliseconds of silence between two times."""
        return sum(2 for i, loud in enumerate(self.loudness) if loud < 0.004 and since <= self.time_of(i) <= until)

    def beeps(self):
        loud = self.loudness
        return [self.time_of(i) for i in range(1, len(loud)) if loud[i] > 0.3 and max(loud[max(0, i - 5):i]) <= 0.3]


def compositor():
    """Returns the process ID of this desktop's compositor, or None."""
    mark = f"XDG_RUNTIME_DIR={os.environ['XDG_RUNTIME_DIR']}".encode()
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.basename(os.readlink(f"/proc/{entry}/exe")) == "swiftplay-compositor":
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if mark in file.read().split(b"\0"):
                        return int(entry)
        except OSError:
            pass
    return None


def start_compositor(*arguments):
    """Starts a compositor in place of the one that the last measurement has started, and waits until it listens."""
    if process := compositor():
        os.kill(process, signal.SIGTERM)
    program = os.path.join(options.programs, "swiftplay-compositor")
    socket_file = os.path.join(os.environ["XDG_RUNTIME_DIR"], "swiftplay/compositor")
    deadline = now() + 10
    while now() < deadline:
        # While the other compositor is still running, a new one exits at once.
        process = subprocess.Popen([program, "--idle-timeout", "0", *arguments])
        while process.poll() is None and now() < deadline:
            if os.path.exists(socket_file) and compositor() == process.pid:
                return process
            time.sleep(0.02)
    sys.exit("bench: no compositor starts")


def x_server():
    """Returns the process ID of this desktop's X server, a child of scripts/desk, or None."""
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                name, _, rest = file.read().partition(") ")
            if name.endswith("(Xvfb") and int(rest.split()[1]) == os.getppid():
                return int(entry)
        except OSError:
            pass
    return None


def cpu_seconds(process):
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(process):
    """Returns the proportional set size in MB: a page that n processes share counts as 1/n."""
    with open(f"/proc/{process}/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024


rows, warnings = [], []


def row(what, ours, theirs="–", third="–"):
    rows.append((what, ours, "not installed" if theirs is None else theirs, third))
    others = [f"{name}: {value}" for name, value in (("mpv", theirs), ("ffplay", third)) if value not in (None, "–")]
    print(f"bench: {what}: {ours}" + (f" ({', '.join(others)})" if others else ""), file=sys.stderr)


def ms(values):
    return f"{statistics.median(values):.1f} ({max(values):.1f})" if values else "none seen"


def compare(what, figures, unit, digits=2):
    """Adds a row with the medians of `figures`, which maps each measured player to one figure per run."""
    medians = {name: statistics.median(values) for name, values in figures.items() if values}
    ours = f"{medians['swiftplay']:.{digits}f}" if "swiftplay" in medians else "none seen"
    if medians.get("mpv") and "swiftplay" in medians:
        ours += f" ({medians['swiftplay'] / medians['mpv']:.2f} of mpv's)"
    text = {name: f"{value:.{digits}f}" for name, value in medians.items()}
    row(f"{what}, {unit}", ours, text.get("mpv", "–" if MPV else None), text.get("ffplay", "–"))


class Busy:
    """A process that keeps one core busy for the duration of a `with` statement."""

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, "-c", "while True: pass"])

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0].strip()
    except (OSError, IndexError):
        return "unknown"
