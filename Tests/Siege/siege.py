"""Deaths, hanging and hostility, on real processes: what a player's viewer and the compositor must survive. Run by scripts/stress."""
import os
import random
import signal
import socket
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Benchmark"))
from rig import *

ROUNDS = int(os.environ.get("SIEGE_ROUNDS", "100"))
MESSAGES = int(os.environ.get("SIEGE_MESSAGES", "1000000"))
failures = []
dice = random.Random(int(os.environ.get("SIEGE_SEED", "1")))


def check(holds, what):
    if not holds:
        failures.append(what)
        print(f"stress: FAILED: {what}", file=sys.stderr)


def say(what):
    print(f"stress: {what}")


def until(condition, seconds=10):
    deadline = now() + seconds
    while not (value := condition()):
        if now() > deadline:
            return None
        time.sleep(0.005)
    return value


def descriptors(process):
    return len(os.listdir(f"/proc/{process}/fd"))


def frame_descriptors(process):
    found = 0
    for entry in os.listdir(f"/proc/{process}/fd"):
        try:
            found += os.readlink(f"/proc/{process}/fd/{entry}").startswith("/memfd:swiftplay-frame")
        except OSError:
            pass
    return found


def frame_memory(process):
    with open(f"/proc/{process}/maps") as file:
        return sum("memfd:swiftplay" in line for line in file)


def windows():
    """Of floating pictures, on the screen or not."""
    text = subprocess.run(["xwininfo", "-root", "-tree"], capture_output=True, text=True).stdout
    return text.count('"swiftplay-pip"')


def processes(name):
    mark, found = f"XDG_RUNTIME_DIR={os.environ['XDG_RUNTIME_DIR']}".encode(), []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.basename(os.readlink(f"/proc/{entry}/exe")) == name:
                with open(f"/proc/{entry}/environ", "rb") as file, open(f"/proc/{entry}/stat") as stat:
                    if mark in file.read().split(b"\0") and stat.read().rpartition(") ")[2][0] != "Z":
                        found.append(int(entry))
        except OSError:
            pass
    return found


def player(*arguments):
    return swiftplay(clip("count30.mp4"), "--loop-file", f"--input-ipc-server={SOCKET}", "--geometry=640x360+60+60", *arguments)


def compositor_deaths():
    """The compositor is killed at random moments: playing never stops, and nothing of it is left."""
    stops, slowest = 0, 0.0
    with Program(player()) as program:
        remote = Remote()
        remote.wait_for("picture-in-picture-possible", True)
        # The frame pool grows once, with the first handoff.
        for isActive in True, False:
            remote.ask("set_property", "picture-in-picture", isActive)
            remote.wait_for("picture-in-picture", isActive)
        time.sleep(1)
        # The pool keeps what it needed at most, within its limit; all others come back.
        def others():
            return descriptors(program.process.pid) - frame_descriptors(program.process.pid)
        before, frames = others(), frame_descriptors(program.process.pid)
        for _ in range(ROUNDS):
            victim = until(compositor)
            if until(lambda: remote.ask("get_property", "picture-in-picture-possible"), 15) is None:
                check(False, "Picture-in-Picture did not become possible again")
                break
            remote.ask("set_property", "picture-in-picture", True)
            time.sleep(dice.random() * 0.6)
            if dice.random() < 0.4:
                remote.ask("set_property", "picture-in-picture", False)
                time.sleep(dice.random() * 0.4)
            position = remote.ask("get_property", "time-pos")
            victim = compositor()
            if victim:
                os.kill(victim, signal.SIGKILL)
            killed = now()
            moved = until(lambda: remote.ask("get_property", "time-pos") != position, 2)
            stops += moved is None
            gone = until(lambda: windows() == 0, 5)
            check(gone, "a window outlives the compositor")
            slowest = max(slowest, now() - killed)
            # Four deaths within ten seconds, and the player waits ten seconds before it starts another.
            time.sleep(2.8)
        check(stops == 0, f"playing stopped {stops} times")
        check(program.process.poll() is None, "the player ended")
        until(lambda: remote.ask("get_property", "picture-in-picture-possible"), 15)
        remote.ask("set_property", "picture-in-picture", False)
        after = until(lambda: others() <= before or None, 5)
        check(after, f"the player has {others()} descriptors, {before} before")
        check(frame_descriptors(program.process.pid) <= 2 * frames, f"{frame_descriptors(program.process.pid)} frames, {frames} before")
    left = until(lambda: not processes("swiftplay"), 5)
    check(left, "a player is left")
    say(f"the compositor was killed {ROUNDS} times: playing stopped {stops} times; window gone within {1000 * slowest:.0f} ms")


def player_deaths():
    """A player is killed at random moments: its window goes within 200 ms and the compositor holds nothing of it."""
    delays = []
    # One that stays, so that the compositor does.
    with Program(swiftplay(clip("count30.mp4"), "--loop-file", "--geometry=320x180+900+60", f"--input-ipc-server={SOCKET}")):
        other = Remote()
        other.wait_for("picture-in-picture-possible", True)
        process = until(compositor)
        time.sleep(1)
        before, size = (descriptors(process), frame_memory(process)), None
        for round in range(ROUNDS):
            victim = subprocess.Popen(
                swiftplay(clip("count30.mp4"), "--pip", "--mute", "--geometry=320x180+60+60"), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            until(lambda: windows() > 0, 10)
            time.sleep(dice.random() * 0.5)
            victim.kill()
            killed = now()
            gone = until(lambda: windows() == 0, 5)
            delays.append(1000 * (now() - killed))
            victim.wait()
            check(gone, "a window outlives its player")
            check(compositor() == process, "the compositor is another")
            if round == ROUNDS // 5:
                size = memory(process)
        after = until(lambda: (descriptors(process), frame_memory(process)) == before or None, 5)
        check(after, f"descriptors and mappings: {(descriptors(process), frame_memory(process))}, {before} before")
        end = memory(process)
        check(end <= size + 4, f"the compositor's memory went from {size:.1f} to {end:.1f} MB")
    check(max(delays) <= 200, f"a window was there for {max(delays):.0f} ms")
    say(f"a player was killed {ROUNDS} times: window gone after {statistics.median(delays):.0f} ms (median), {max(delays):.0f} (most); "
        f"the compositor's memory {size:.1f} to {end:.1f} MB")


def hanging():
    """A program's main queue hangs for 13 s in Picture-in-Picture: no frame is late for ten, and then the close button works."""
    program = subprocess.Popen(
        [os.path.join(options.programs, "HangingProgram"), clip("count30.mp4"), "13"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        check(program.stdout.readline() == "started\n", "the program did not begin in Picture-in-Picture")
        # A sound server that has just been connected to takes its time; that is not what is looked at.
        time.sleep(4)
        program.send_signal(signal.SIGUSR1)
        check(program.stdout.readline() == "hanging\n", "the program does not hang")
        frames = Watch(10.5, "swiftplay-pip").finish().frames("swiftplay-pip")
        numbers = {frame for _, frame in frames}
        longest = max((b[0] - a[0] for a, b in zip(frames, frames[1:])), default=9)
        lost = max(numbers, default=0) - min(numbers, default=0) + 1 - len(numbers)
        check(len(numbers) > 300 and lost == 0, f"{lost} frames were not shown while the main queue hung, of {len(numbers)}")
        check(longest <= 2 / 30, f"{1000 * longest:.0f} ms without a new frame while the main queue hung")
        place = subprocess.run(["xdotool", "search", "--classname", "swiftplay-pip"], capture_output=True, text=True).stdout.split()[-1]
        subprocess.run(["xdotool", "mousemove", "--window", place, "200", "200", "mousemove", "--window", place, "441", "38", "click", "1"], check=True)
        pressed = now()
        check(until(lambda: windows() == 0, 5), "the close button did not close the window of a program that hangs")
        closed = now() - pressed
        # When it comes round it hears what happened.
        check(program.stdout.readline() == "stopped: closed, rate 0.0\n", "the program did not hear that its window was closed")
    finally:
        program.kill()
        program.wait()
        subprocess.run(["xdotool", "mousemove", "5", "5"])
    say(f"the main queue hung for 10 s: {lost} frames not shown, longest time without a new frame {1000 * longest:.0f} ms; closed by its button within {1000 * closed:.0f} ms")


class Hostile:
    """A client of the compositor that says what it likes."""

    LIMITS = [0, 1, 2, 7, 8, 63, 64, 127, 128, 255, 256, 257, 1000, 4095, 4096, 16383, 16384, 16385, 32767, 32768, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1,
              2**63 - 1, 2**63, 2**64 - 1]

    def __init__(self):
        self.path = os.path.join(os.environ["XDG_RUNTIME_DIR"], "swiftplay", "compositor")
        self.socket, self.sent, self.connections = None, 0, 0
        self.files = {
            "sealed": self.file(1 << 16, seals=2), "ring": self.file(4096, seals=2), "small": self.file(16, seals=2), "empty": self.file(0, seals=2),
            "unsealed": self.file(1 << 16, seals=0), "event": os.eventfd(0, os.EFD_NONBLOCK), "null": os.open("/dev/null", os.O_RDWR),
            "directory": os.open("/", os.O_RDONLY)}

    @staticmethod
    def file(size, seals):
        made = os.memfd_create("hostile", os.MFD_ALLOW_SEALING)
        os.ftruncate(made, size)
        import fcntl
        if seals:
            fcntl.fcntl(made, 1033, seals)
        return made

    def connect(self):
        if self.socket:
            self.socket.close()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(5)
        self.socket.connect(self.path)
        self.socket.setblocking(False)
        self.connections += 1
        if dice.random() < 0.97:
            self.send(struct.pack("<BHHH", 1, 6, 2, 0))

    def number(self, size):
        return (dice.choice(self.LIMITS) if dice.random() < 0.5 else dice.getrandbits(8)) % (1 << (8 * size))

    def message(self):
        """One that is right up to its values, more often than not."""
        kind = dice.choice([1, 2, 2, 3, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15, 16, 18, 18, 18, 19, dice.getrandbits(8)])
        session = dice.choice([1, 1, 1, 2, self.number(4)])
        head, files = struct.pack("<BI", kind, session), []
        if kind == 1:
            text = os.urandom(dice.choice([0, 3, 40]))
            return struct.pack("<BHHH", 1, self.number(2), self.number(2), len(text)) + text, files
        if kind == 2:
            files = [dice.choice(["ring", "ring", "sealed", "small", "unsealed"]), "ring", dice.choice(["event", "event", "null", "directory"])]
            return head + dice.choice([b"\x02", b"\x02", b"\x01" + struct.pack("<H", 2) + b":9" + struct.pack("<H", 0), os.urandom(3)]), files
        if kind == 3:
            return head + struct.pack("<I", self.number(4)), [dice.choice(list(self.files))]
        if kind == 4:
            return head + struct.pack("<I", self.number(4)), files
        if kind == 5:
            planes = dice.choice([1, 3, 3, self.number(1)])
            body = struct.pack("<IHIIB", self.number(4), self.number(2), self.number(4), self.number(4), planes)
            body += b"".join(struct.pack("<II", self.number(4), self.number(4)) for _ in range(min(planes, 8)))
            return head + body + struct.pack("<ii", 1, 1) + os.urandom(4) + struct.pack("<HB", 0, 0) + b"\0" * 8, files
        if kind == 9:
            return head + struct.pack("<BQQ", self.number(1), self.number(8), self.number(8)), files
        if kind == 11:
            count = dice.choice([1, 2, self.number(1)])
            return head + struct.pack("<IIB", self.number(4), self.number(4), count) + b"".join(
                struct.pack("<IIII", *(self.number(4) for _ in range(4))) for _ in range(min(count, 70))), [dice.choice(list(self.files))]
        if kind in (13, 14):
            return head + struct.pack("<IIII", *(self.number(4) for _ in range(4))), files
        if kind == 15:
            return head + struct.pack("<HB", self.number(2), self.number(1)), files
        if kind == 18:
            request = dice.choice([1, 2, 2, 3, 3, 4, 5, 5, 6, 7, 8, self.number(1)])
            body = {2: struct.pack("<BBI", dice.choice([0, 1, 2, 2, 3, 4, 5, self.number(1)]), dice.choice([0, 0, 1, 2, 3, self.number(1)]),
                                   dice.choice([0, 0, 1, 2, 0x11, 0x13, self.number(4)])), 8: b""}.get(request, bytes([dice.choice([0, 1, 2, 3, self.number(1)])]))
            return head + bytes([request]) + body, [dice.choice(["ring", "ring", *self.files])] if request == 1 else files
        if kind == 19:
            return bytes([19]) + dice.choice([b"\1\0", b"\1\1", b"\2", b"\3", b"\4\0", b"\4\1", b"\5\0", b"\5\1", b"\6", b"\7", bytes([self.number(1)])]), files
        return head, files

    def mutated(self):
        data, files = self.message()
        chance = dice.random()
        if chance < 0.1 and data:
            at = dice.randrange(len(data))
            data = data[:at] + bytes([dice.getrandbits(8)]) + data[at + 1:]
        elif chance < 0.15:
            data = data[:dice.randrange(len(data) + 1)]
        elif chance < 0.2:
            data += os.urandom(dice.choice([1, 8, 9000]))
        if dice.random() < 0.03:
            files = [dice.choice(list(self.files)) for _ in range(dice.randrange(6))]
        return data, files

    def send(self, data, files=()):
        self.sent += 1
        try:
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack(f"{len(files)}i", *(self.files[f] for f in files)))] if files else []
            self.socket.sendmsg([data or b"\0"], rights)
            return True
        except BlockingIOError:
            time.sleep(0.0005)
            return True
        except OSError:
            return False

    def drain(self):
        try:
            while self.socket.recv(8192):
                pass
        except OSError:
            pass


def hostile():
    """Messages with every field at its limits, broken ones, wrong descriptors, beside a film in Picture-in-Picture."""
    # Asking for a window is no crime: with one window the film would have to go for the attacker's.
    settings = os.path.join(os.environ["XDG_CONFIG_HOME"], "swiftplay")
    os.makedirs(settings, exist_ok=True)
    with open(os.path.join(settings, "compositor.conf"), "w") as file:
        file.write("pip-windows=8\n")
    until(lambda: not processes("swiftplay-compositor"), 15)
    # Any program may tell of a call, or take the place of what is heard: that is no attack, so this film has no sound
    # to lose.
    with Program(player("--pip", "--ao=null")):
        remote = Remote()
        remote.wait_for("picture-in-picture", True)
        time.sleep(1)
        process, before = compositor(), None
        before = descriptors(process)
        attacker, began, gaps, shown, lost = Hostile(), now(), [], 0, 0
        while attacker.sent < MESSAGES and compositor() == process:
            watch = Watch(10, "swiftplay-pip")
            time.sleep(0.2)
            end = now() + 9
            attacker.connect()
            while now() < end and attacker.sent < MESSAGES:
                for _ in range(50):
                    if not attacker.send(*attacker.mutated()):
                        attacker.connect()
                attacker.drain()
                # In bursts, or the attacker takes a core of the two.
                time.sleep(0.001)
            frames = watch.finish().frames("swiftplay-pip")
            gaps += [b[0] - a[0] for a, b in zip(frames, frames[1:])]
            numbers = {frame for _, frame in frames}
            shown += len(numbers)
            # A loop's end is no loss.
            lost += sum(b[1] - a[1] - 1 for a, b in zip(frames, frames[1:]) if b[1] > a[1])
        check(compositor() == process, "the compositor died")
        late = sum(gap > 2 / 30 for gap in gaps)
        check(late == 0 and lost == 0, f"the neighbour's film: {late} late frames, {lost} not shown of {shown}")
        if attacker.socket:
            attacker.socket.close()
        after = until(lambda: descriptors(process) == before or None, 5)
        check(after, f"the compositor has {descriptors(process)} descriptors, {before} before")
        say(f"{attacker.sent} hostile messages over {attacker.connections} connections in {now() - began:.0f} s: "
            f"the neighbour's film showed {shown} frames, {late} late, {lost} not shown; the compositor's memory {memory(process):.1f} MB")


parts = {"compositor-deaths": compositor_deaths, "player-deaths": player_deaths, "hanging": hanging, "hostile": hostile}
for part in os.environ.get("SIEGE_PARTS", ",".join(parts)).split(","):
    if part not in parts:
        sys.exit(f"stress: there is no part '{part}'; parts: {', '.join(parts)}")
    parts[part]()
sys.exit(1 if failures else 0)
