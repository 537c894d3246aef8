"""Plays films and streams with programs whose locks are measured, and prints how long the locks were held, for
scripts/check-lock-holds, which starts this program on a private desktop. Uses only the standard library.

usage: lock-holds.py BUILD FIXTURES RUNS ROWS"""
import bisect
import glob
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time

BUILD, FIXTURES = sys.argv[1:3]
RUNS, ROWS = int(sys.argv[3]), int(sys.argv[4])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.path.join(BUILD, "release")
LIMIT = 100_000  # nanoseconds
# The upper limits of the steps in which locks.c counts times, in nanoseconds.
STEPS = [100 * 2 ** (step // 4) * (4 + step % 4) // 4 for step in range(80)]


class Machine:
    """A folder with files like the kernel's files about memory, of a machine with 1000 kB, for the compositor."""

    def __init__(self, folder):
        self.folder = folder
        for name in ["proc/self", "proc/pressure", "cgroup/app"]:
            os.makedirs(os.path.join(folder, name))
        for name, text in [("proc/self/cgroup", "0::/app\n"), ("cgroup/app/memory.current", "80\n"),
                           ("cgroup/app/memory.high", "1000\n"), ("cgroup/app/memory.max", "max\n"),
                           ("cgroup/app/memory.events", "max 0\noom 0\noom_kill 0\n")]:
            self.write(name, text)
        self.set_available(900)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def set_available(self, kilobytes):
        self.write("proc/meminfo", f"MemTotal: 1000 kB\nMemAvailable: {kilobytes} kB\n")


class Player:
    """A `swiftplay` process with an IPC socket."""

    def __init__(self, path, environment, *arguments):
        self.process = subprocess.Popen(
            [os.path.join(PROGRAMS, "swiftplay"), f"--input-ipc-server={path}", *arguments], env=environment)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        deadline = time.monotonic() + 30
        while self.socket.connect_ex(path) != 0:
            if time.monotonic() > deadline: sys.exit("check-lock-holds: the player does not start")
            time.sleep(0.02)
        self.lines = self.socket.makefile()

    def ask(self, *command):
        """Returns the player's answer to a command; None after an error."""
        self.socket.sendall(json.dumps({"command": command, "request_id": 7}).encode() + b"\n")
        for line in self.lines:
            answer = json.loads(line)
            if answer.get("request_id") == 7: return answer.get("data")
        sys.exit("check-lock-holds: the player has ended")

    def wait_for(self, name, condition, timeout=40):
        """Waits until a property has a value for which `condition` returns true."""
        deadline = time.monotonic() + timeout
        while not condition(value := self.ask("get_property", name)):
            if time.monotonic() > deadline: sys.exit(f"check-lock-holds: {name} is still {value}")
            time.sleep(0.05)

    def play_on(self, seconds):
        """Waits until the position has advanced."""
        start = self.ask("get_property", "time-pos") or 0
        self.wait_for("time-pos", lambda time: (time or 0) >= start + seconds)


def play_film(player, machine):
    """A film in a window: seeks, Picture-in-Picture and warnings about memory."""
    for position in [2, 15, 6, 10, 3]:
        player.ask("seek", position, "absolute", "exact")
        player.play_on(0.4)
    player.wait_for("picture-in-picture-possible", lambda value: value)
    for is_floating in [True, False]:
        player.ask("set_property", "picture-in-picture", is_floating)
        player.wait_for("picture-in-picture", lambda value: value == is_floating)
        player.play_on(1)
    for available, level in [(80, "warning"), (10, "critical")]:
        machine.set_available(available)
        player.wait_for("memory-pressure", lambda value: value == level)
        player.play_on(1.5)  # Memory is released for a second.


def play_from_server(player, address, machine):
    """A stream, and a file whose received bytes are released after a warning about memory."""
    machine.set_available(900)
    for path in ["stream.m3u8", "large.mp4"]:
        player.ask("loadfile", f"{address}/{path}")
        player.wait_for("path", lambda value: (value or "").endswith(path))
        player.wait_for("time-pos", lambda value: (value or 0) > 0.5)
        player.ask("seek", 1, "absolute", "exact")
        player.play_on(0.4)
    player.wait_for("memory-pressure", lambda value: value == "normal")
    machine.set_available(10)
    player.wait_for("memory-pressure", lambda value: value == "critical")
    time.sleep(1.5)
    machine.set_available(900)


def play(folder, machine):
    """Runs the programs with the preloaded library, which writes its files into `folder` when they exit."""
    environment = {**os.environ, "XDG_CONFIG_HOME": machine.folder}
    measured = {**environment, "LD_PRELOAD": os.path.join(BUILD, "locks.so"), "LOCKS_FOLDER": folder}
    compositor = subprocess.Popen(
        [os.path.join(PROGRAMS, "swiftplay-compositor"), "--idle-timeout", "0", "--memory-root", machine.folder],
        env=measured)
    runtime = os.environ["XDG_RUNTIME_DIR"]
    for name in ["ipc", "swiftplay/compositor"]:
        if os.path.lexists(path := os.path.join(runtime, name)): os.unlink(path)
    deadline = time.monotonic() + 30
    while not os.path.exists(os.path.join(runtime, "swiftplay/compositor")):
        if time.monotonic() > deadline: sys.exit("check-lock-holds: the compositor does not start")
        time.sleep(0.02)
    server = subprocess.Popen(
        [sys.executable, os.path.join(ROOT, "Tests/StandIns/link-server.py"), machine.folder + "/media"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    address = "http://127.0.0.1:" + server.stdout.readline().split()[1]
    try:
        player = Player(
            os.path.join(runtime, "ipc"), measured, "--geometry=640x360", "--loop-file=inf",
            os.path.join(FIXTURES, "count30.mp4"))
        player.wait_for("time-pos", lambda value: (value or 0) > 0.5)
        play_film(player, machine)
        play_from_server(player, address, machine)
        player.ask("quit")
        player.process.wait(30)
    finally:
        for process in [compositor, server]:
            process.terminate()
            process.wait(30)


class Symbols:
    """The names of a program's functions."""

    def __init__(self, program):
        lines = subprocess.run(["nm", "-n", "--defined-only", program], check=True, capture_output=True, text=True)
        symbols = [line.split(maxsplit=2) for line in lines.stdout.splitlines()]
        symbols = [(int(address, 16), name) for address, kind, name in symbols if kind in "tTwW"]
        self.addresses, self.names = [address for address, _ in symbols], [name for _, name in symbols]

    def name(self, address):
        return self.names[max(0, bisect.bisect_right(self.addresses, address - 1) - 1)] if address else ""


    def place(self, calls):
        """Returns the name of the function that uses a lock, and the address of the call in it. Monitor's own functions
        use locks for their callers."""
        names = [(self.name(address), address) for address in (int(call, 16) for call in calls) if address]
        return next((pair for pair in names if "7MonitorC" not in pair[0]), names[0] if names else ("", 0))


def readable(names):
    """Returns the readable names of Swift functions, by their names in the program."""
    names = sorted(names)
    output = subprocess.run(
        ["swift", "demangle", "--compact", "--simplified"], input="\n".join(names), check=True, capture_output=True,
        text=True).stdout.splitlines()
    prefix = r"^(closure #\d+ in |generic specialization <.*?> of |specialized |merged |partial apply for )+"
    return {name: re.sub(prefix, "", text) or "?" for name, text in zip(names, output)}


class Times:
    """How long locks were held in all runs."""

    def __init__(self):
        self.count, self.longest_by_run, self.steps, self.threads = 0, [0] * RUNS, [0] * len(STEPS), set()
        self.longest_by_holder = {}  # by thread and place

    def add(self, run, thread, nice, place, count, longest, steps):
        self.count += count
        self.longest_by_run[run] = max(self.longest_by_run[run], longest)
        self.longest_by_holder[thread, place] = max(self.longest_by_holder.get((thread, place), 0), longest)
        self.steps = [a + b for a, b in zip(self.steps, steps)]
        self.threads.add((thread, nice))

    def percentile(self, part):
        """Returns the upper limit of the step within which a part of the times lies, in nanoseconds."""
        wanted, seen = part * self.count, 0
        for step, count in enumerate(self.steps):
            seen += count
            if seen >= wanted: return STEPS[step]

    @property
    def longest(self):
        """The longest time of a run, as the median of all runs: an interrupt or a page fault lengthens single times."""
        return statistics.median(self.longest_by_run)

    @property
    def is_shared(self):
        """Whether threads of different priorities took the locks."""
        return len({nice for _, nice in self.threads}) > 1

    def row(self, *titles):
        figures = [self.percentile(0.5), self.percentile(0.999), self.longest]
        return f"| {' | '.join(titles)} | {self.count} | {' | '.join(f'{figure / 1000:.1f}' for figure in figures)} |"


def read(folder, run, locks, places):
    """Adds the times of a run to `locks`, by program and lock, and to `places`, by program, thread and place."""
    for path in glob.glob(os.path.join(folder, "*")):
        program = os.path.basename(path).rpartition("-")[0]
        symbols = Symbols(os.path.join(PROGRAMS, program))
        for line in open(path):
            thread, nice, *calls, count, longest = line.split("\t")[:10]
            # An ordinary user's threads have no negative nice values.
            steps = [int(step) for step in line.split("\t")[10:]]
            place, _ = symbols.place(calls[3:])
            times = (run, thread, max(0, int(nice)), place, int(count), int(longest), steps)
            # A function may create several locks, each with a call of its own.
            locks.setdefault((program, *symbols.place(calls[:3])), Times()).add(*times)
            places.setdefault((program, thread, place), Times()).add(*times)


def report(locks, places):
    """Prints the tables, and returns whether no lock that threads of different priorities share was held too long."""
    names = readable({name for _, name, _ in locks} | {name for _, _, name in places})
    # The calls of a function that create locks, in the order of the code.
    calls = {key[:2]: sorted(address for *function, address in locks if tuple(function) == key[:2]) for key in locks}
    titles = {key: f"{key[0]}, {names[key[1]]}" + (
        f", lock {calls[key[:2]].index(key[2]) + 1}" if len(calls[key[:2]]) > 1 else "") for key in locks}
    shared = sorted(
        ((key, times) for key, times in locks.items() if times.is_shared), key=lambda item: -item[1].longest)
    figures = "times | median µs | 99.9 % µs | longest µs |"
    print(f"Locks that threads of different priorities share, by the function that creates them:\n\n"
          f"| program, lock | threads with a lower priority | {figures}\n|---|---|---|---|---|---|")
    for lock, times in shared:
        highest = min(nice for _, nice in times.threads)
        lower = sorted(f"{thread} ({nice:+})" for thread, nice in times.threads if nice > highest)
        print(times.row(titles[lock], ", ".join(lower)))
    print(f"\nPlaces that take any lock:\n\n| program, thread | place | {figures}\n|---|---|---|---|---|---|")
    for (program, thread, name), times in sorted(places.items(), key=lambda item: -item[1].longest)[:ROWS]:
        print(times.row(f"{program}, {thread}", names[name]))
    late = [(titles[lock], times) for lock, times in shared if times.longest > LIMIT]
    print(f"\n{sum(times.count for times in locks.values())} times; {len(locks)} locks, {len(shared)} of them shared, "
          f"{len(late)} of these held for more than {LIMIT // 1000} µs")
    for lock, times in late:
        print(f"held for more than {LIMIT // 1000} µs: {lock}; longest of all runs:")
        for (thread, place), longest in sorted(times.longest_by_holder.items(), key=lambda item: -item[1])[:5]:
            print(f"    {longest / 1000:.1f} µs: {thread}, {names[place]}")
    return not late


locks, places = {}, {}
for run in range(RUNS):
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as files:
        machine = Machine(files)
        os.makedirs(files + "/media")
        for name in os.listdir(FIXTURES + "/streams"):
            os.symlink(f"{FIXTURES}/streams/{name}", f"{files}/media/{name}")
        os.symlink(FIXTURES + "/large.mp4", files + "/media/large.mp4")
        play(folder, machine)
        read(folder, run, locks, places)
if {program for program, *_ in locks} != {"swiftplay", "swiftplay-compositor"}:
    sys.exit("check-lock-holds: a program was not measured")
sys.exit(0 if report(locks, places) else 1)
