"""The measuring half of scripts/bench, which starts it at a desk. Python's own library only."""
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
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("--programs", required=True)
parser.add_argument("--clips", required=True)
parser.add_argument("--quick", action="store_true")
parser.add_argument("--load", action="store_true")
parser.add_argument("--only", default="handoffs,sync,start,memory,cpu,copies")
options = parser.parse_args()
MPV = shutil.which("mpv")
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


PLAYERS = {"swiftplay": ("swiftplay", swiftplay), **({"mpv": ("@mpv", mpv)} if MPV else {})}


class Program:
    """A player that runs for the length of a `with`."""

    def __init__(self, command):
        self.command = command

    def __enter__(self):
        self.started = now()
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(self.command, stdin=quiet, stdout=quiet, stderr=quiet)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Remote:
    """mpv's JSON IPC."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        deadline = now() + 10
        while True:
            try:
                self.socket.connect(SOCKET)
                break
            except OSError:
                if now() > deadline:
                    raise
                time.sleep(0.02)
        self.socket.settimeout(10)
        self.lines = self.socket.makefile("r")

    def ask(self, *command):
        self.socket.sendall((json.dumps({"command": command, "request_id": 7}) + "\n").encode())
        while True:
            answer = json.loads(self.lines.readline())
            if answer.get("request_id") == 7:
                return answer.get("data")

    def wait_for(self, name, value):
        deadline = now() + 10
        while self.ask("get_property", name) != value:
            if now() > deadline:
                sys.exit(f"bench: {name} did not become {value}")
            time.sleep(0.02)


class Watch:
    """What is on screen, and in the ears, from the construction until `finish`."""

    def __init__(self, seconds, *names):
        self.ears = subprocess.Popen(
            ["parec", "--latency-msec=5", "--raw", f"--rate={RATE}", "--channels=2", "--format=s16le", "--device=null.monitor"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.sound, self.arrivals = array.array("h"), []
        self.listener = threading.Thread(target=self.listen)
        self.listener.start()
        self.eyes = subprocess.Popen([os.path.join(options.clips, "watch"), str(seconds), *names], stdout=subprocess.PIPE, text=True)

    def listen(self):
        rest = b""
        while data := os.read(self.ears.stdout.fileno(), 65536):
            data = rest + data
            whole = len(data) // 4 * 4
            rest = data[whole:]
            stereo = array.array("h", data[:whole])
            self.sound.extend(stereo[::2])
            self.arrivals.append((now(), len(self.sound)))

    def finish(self):
        text = self.eyes.communicate()[0]
        self.ears.terminate()
        self.ears.wait()
        self.listener.join()
        self.events = [(float(t), name, int(frame)) for t, name, frame in (line.split() for line in text.splitlines())]
        # A sound server that stands still stops the player's clock with it: that says nothing about the player.
        pause = max((b[0] - a[0] for a, b in zip(self.arrivals, self.arrivals[1:])), default=0)
        if pause > 0.3:
            doubts.append(f"the sound server stood still for {1000 * pause:.0f} ms in a run: repeat it")
        # When a sample sounded: its arrival, less the delay of a fragment that came promptly.
        delays = sorted(t - n / RATE for t, n in self.arrivals)
        self.origin = delays[len(delays) // 10] if delays else 0
        self.loudness = [
            max(max(part), -min(part)) / 32768
            for part in (self.sound[i:i + WINDOW] for i in range(0, len(self.sound) - WINDOW + 1, WINDOW))]
        return self

    def frames(self, name, since=0.0, until=float("inf")):
        return [(t, frame) for t, n, frame in self.events if n == name and frame >= 0 and since <= t <= until]

    def heard(self, index):
        return self.origin + index * WINDOW / RATE

    def silence(self, since, until):
        """Milliseconds of silence between two times."""
        return sum(2 for i, loud in enumerate(self.loudness) if loud < 0.004 and since <= self.heard(i) <= until)

    def beeps(self):
        loud = self.loudness
        return [self.heard(i) for i in range(1, len(loud)) if loud[i] > 0.3 and max(loud[max(0, i - 5):i]) <= 0.3]


def compositor():
    """The process of this desk's compositor."""
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


def x_server():
    """The process of this desk's X server: a child of the script that started us."""
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
    """Proportional set size, MB: pages that n processes share count a nth."""
    with open(f"/proc/{process}/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024


rows, doubts = [], []


def row(what, ours, theirs="–"):
    rows.append((what, ours, "not installed" if theirs is None else theirs))
    print(f"bench: {what}: {ours}" + (f" (mpv: {theirs})" if theirs not in (None, "–") else ""), file=sys.stderr)


def ms(values):
    return f"{statistics.median(values):.1f} ({max(values):.1f})" if values else "none seen"


def handoffs(fps, count, note=""):
    hold = 1.2
    commands = []
    with Program(swiftplay(clip(f"count{fps}.mp4"), f"--input-ipc-server={SOCKET}")):
        remote = Remote()
        remote.wait_for("picture-in-picture-possible", True)
        watch = Watch(count * hold + 3, "swiftplay", "swiftplay-pip")
        time.sleep(1.5)
        for i in range(count):
            commands.append((i % 2 == 0, now()))
            remote.ask("set_property", "picture-in-picture", i % 2 == 0)
            time.sleep(hold)
        watch.finish()
    since, until = commands[0][1] - 0.5, commands[-1][1] + 1
    main, floating = watch.frames("swiftplay", since, until), watch.frames("swiftplay-pip", since, until)
    delays = {True: [], False: []}
    unseen = 0
    for starts, t in commands:
        new, old = (floating, main) if starts else (main, floating)
        last = max((frame for at, frame in old if at <= t), default=0)
        fresh = next((at for at, frame in new if at > t and frame >= last), None)
        if fresh is None or fresh > t + hold:
            unseen += 1
        else:
            delays[starts].append(1000 * (fresh - t))
    seen = sorted(main + floating)
    numbers = {frame for _, frame in seen}
    lost = max(numbers) - min(numbers) + 1 - len(numbers) if numbers else -1
    backwards = sum(b[1] < a[1] for place in (main, floating) for a, b in zip(place, place[1:]))
    newest, freeze = None, 0.0
    for t, frame in seen:
        if newest is None or frame > newest[1]:
            freeze = max(freeze, t - newest[0]) if newest else 0.0
            newest = (t, frame)
    where = f"{fps} fps{note}"
    row(f"PiP start to first fresh frame there, {where}: median (max), ms", ms(delays[True]))
    row(f"PiP stop to first fresh frame back, {where}: median (max), ms", ms(delays[False]))
    row(f"{count} handoffs, {where}: frames never shown / shown backwards / handoffs not seen", f"{lost} / {backwards} / {unseen}")
    row(f"{count} handoffs, {where}: longest time without a new frame, ms", f"{1000 * freeze:.1f}")
    row(f"{count} handoffs, {where}: silence, ms", str(watch.silence(since, until)))


def sync():
    """Sound against picture, and the regularity of pictures, at 60 fps."""
    seconds, answers = (8 if options.quick else 14), {}
    for name, (window, command) in PLAYERS.items():
        offsets, jitters, lost = [], [], []
        for _ in range(RUNS):
            watch = Watch(seconds, window)
            time.sleep(0.3)
            with Program(command(clip("count60.mp4"))):
                watch.finish()
            frames = watch.frames(window)
            if len(frames) < 120:
                continue
            # The first second is for getting started.
            steady = [(t, frame) for t, frame in frames if t > frames[0][0] + 1]
            jitters.append(1000 * statistics.pstdev(b[0] - a[0] for a, b in zip(steady, steady[1:])))
            numbers = {frame for _, frame in steady}
            lost.append(max(numbers) - min(numbers) + 1 - len(numbers))
            beeps = watch.beeps()
            for t, frame in frames:
                if frame > 0 and frame % 60 == 0:
                    near = min(beeps, key=lambda beep: abs(beep - t), default=t + 9)
                    if abs(near - t) < 0.4:
                        offsets.append(1000 * (near - t))
        answers[name] = (
            f"{statistics.median(offsets):+.1f} ({min(offsets):+.1f} to {max(offsets):+.1f})" if offsets else "no beeps heard",
            f"{statistics.median(jitters):.2f}" if jitters else "none seen", f"{statistics.median(lost):.0f}" if lost else "none seen")
    ours, theirs = answers["swiftplay"], answers.get("mpv", (None,) * 3)
    row("sound minus picture, 60 fps: median (least to most), ms", ours[0], theirs[0])
    row("interval between pictures, 60 fps: standard deviation, ms", ours[1], theirs[1])
    row(f"frames not shown in {seconds - 2} s, 60 fps", ours[2], theirs[2])


def start():
    runs, answers = (3 if options.quick else 6), {}
    for name, (window, command) in PLAYERS.items():
        times = []
        for _ in range(runs):
            watch = Watch(1.8, window)
            time.sleep(0.3)
            with Program(command(clip("count30.mp4"))) as program:
                watch.finish()
            if frames := watch.frames(window):
                times.append(1000 * (frames[0][0] - program.started))
        # The first run fills the caches.
        answers[name] = f"{statistics.median(times[1:]):.0f}" if len(times) > 1 else "none seen"
    row(f"first frame after start, warm, 720p: median of {runs - 1}, ms", answers["swiftplay"], answers.get("mpv"))


def compare(what, ours, theirs, unit):
    """`theirs`: figures of mpv, None where it is not installed, "–" where it has nothing of the kind."""
    mine = statistics.median(ours)
    if isinstance(theirs, list):
        other = statistics.median(theirs)
        row(f"{what}, {unit}", f"{mine:.2f} ({mine / other:.2f} of mpv's)", f"{other:.2f}")
    else:
        row(f"{what}, {unit}", f"{mine:.2f}", theirs)


def use_memory():
    def measure(command, ours):
        with Program(command) as program:
            time.sleep(5)
            processes = [program.process.pid] + ([compositor()] if ours else [])
            samples = []
            for _ in range(4):
                samples.append(sum(memory(process) for process in processes if process))
                time.sleep(0.4)
            return statistics.median(samples)

    file = clip("large30.mp4")
    theirs = [measure(mpv(file), False) for _ in range(RUNS)] if MPV else None
    compare("memory at 1080p in PiP, both processes together, PSS", [measure(swiftplay(file, "--pip"), True) for _ in range(RUNS)], theirs, "MB")
    compare("memory at 1080p in a window, both processes together, PSS", [measure(swiftplay(file), True) for _ in range(RUNS)], theirs, "MB")


def use_cpu():
    seconds, server = (5 if options.quick else 10), x_server()

    def measure(command, ours):
        with Program(command) as program:
            time.sleep(3)
            processes = [program.process.pid] + ([p] if ours and (p := compositor()) else [])
            before, drawn = sum(map(cpu_seconds, processes)), cpu_seconds(server) if server else 0
            time.sleep(seconds)
            return sum(map(cpu_seconds, processes)) - before, (cpu_seconds(server) if server else 0) - drawn

    file = clip("large30.mp4")
    theirs = [measure(mpv(file), False) for _ in range(RUNS)] if MPV else None
    for what, command in (("in a 1:1 window", swiftplay(file)), ("in PiP", swiftplay(file, "--pip"))):
        ours = [measure(command, True) for _ in range(RUNS)]
        for column, title in enumerate((f"CPU for {seconds} s of 1080p30 {what}, with sound, both processes together", f"and in the X server, {what}")):
            other = "–" if "PiP" in what else theirs and [run[column] for run in theirs]
            compare(title, [run[column] for run in ours], other, "s")


def copies():
    """What goes between the processes through the kernel while a 1080p picture is in PiP."""
    with Program(swiftplay(clip("large30.mp4"), "--pip", f"--input-ipc-server={SOCKET}")):
        remote = Remote()
        remote.wait_for("picture-in-picture", True)
        time.sleep(1)
        process = compositor()
        with open(f"/proc/{process}/maps") as file:
            shared = [line.split()[1] for line in file if "memfd:swiftplay-frame" in line]
        writable = sum("w" in rights for rights in shared)
        row("frame memory mapped in the compositor, 1080p in PiP: mappings / of them writable", f"{len(shared)} / {writable}")
        trace = os.path.join(os.environ["XDG_RUNTIME_DIR"], "bench.trace")
        if not shutil.which("strace"):
            return row("bytes between the processes a frame", "strace is not installed")
        before = remote.ask("get_property", "vo-frame-id")
        tracer = subprocess.Popen(
            ["strace", "-f", "-yy", "-e", "trace=read,readv,preadv2,recvmsg,recvfrom,write,writev,sendmsg,sendto", "-o", trace, "-p", str(process)],
            stderr=subprocess.DEVNULL)
        time.sleep(2 if options.quick else 5)
        frames = remote.ask("get_property", "vo-frame-id") - before
        tracer.send_signal(signal.SIGINT)
        tracer.wait()
    ring = message = 0
    with open(trace) as file:
        for line in file:
            count = line.rpartition("= ")[2].split()
            count = int(count[0]) if count and count[0].isdigit() else 0
            target = line.partition(">, ")[0]
            if "eventfd" in target:
                ring += count
            elif "SEQPACKET" in target:
                message += count
    if frames <= 0 or ring + message == 0:
        return row("bytes between the processes a frame", "strace could not follow")
    row(
        "bytes through the kernel between the processes a frame, 1080p in PiP (a picture has 3 110 400)",
        f"{(ring + message) / frames:.0f} (wake-ups {ring / frames:.0f}, messages {message / frames:.0f})")


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0].strip()
    except (OSError, IndexError):
        return "unknown"


parts = options.only.split(",")
# A null sink begins with a block of 2 s; who plays or listens before that is over sees its clock jump once.
time.sleep(3)
if "handoffs" in parts:
    number = 6 if options.quick else 20
    for fps in (30, 60):
        handoffs(fps, number)
    if options.load:
        busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        try:
            for fps in (30, 60):
                handoffs(fps, number, ", one core busy")
        finally:
            busy.kill()
            busy.wait()
for part, work in (("sync", sync), ("start", start), ("memory", use_memory), ("cpu", use_cpu), ("copies", copies)):
    if part in parts:
        work()

print(f"{os.cpu_count()} cores, Linux {platform.release()}, X server Xvfb 1920x1080 without a window manager, PulseAudio null sink.")
print(f"{first_line(os.path.join(options.programs, 'swiftplay'), '--version')}; {first_line('ffmpeg', '-version').partition(' Copyright')[0]}; "
      + (first_line(MPV, "--version").partition(" Copyright")[0] + ", run as " + " ".join(mpv("FILE")[1:-1]) if MPV else "no mpv") + ".")
for doubt in doubts:
    print(f"Note: {doubt}.")
print("Quick run: single figures, no medians." if options.quick else f"Medians of {RUNS} runs where nothing else is said.")
print("\n| | SwiftPlay | mpv |\n|---|---|---|")
for what, ours, theirs in rows:
    print(f"| {what} | {ours} | {theirs} |")
