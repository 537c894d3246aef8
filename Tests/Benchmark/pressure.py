"""Memory pressure of the running kernel: how soon two players are warned, and when the pressure has ended.

A control group of 64 MB reads a file of 160 MB again and again, so that its tasks wait for memory. The machine itself
stays free. Needs root and the control group `memory` (version 1 or 2).
"""
import contextlib
from rig import *

SECONDS = 6
GROUP_LIMIT, FILE_SIZE = 64 << 20, 160 << 20
KERNEL_FILE = "/proc/pressure/memory"
READER = """
import mmap, os, sys, time
path, seconds = sys.argv[1], float(sys.argv[2])
with open(path, "rb") as file:
    os.fsync(file.fileno())
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    pages = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
end = time.monotonic() + seconds
while time.monotonic() < end:
    for offset in range(0, len(pages), 4096): pages[offset]
"""


def kernel_pressure():
    if os.geteuid() != 0 or not os.path.exists(KERNEL_FILE):
        sys.exit(f"bench: the part pressure needs root and {KERNEL_FILE}")
    for title, is_polled in (("triggers", False), ("polled", True)):
        delays, ends, counts = [], [], []
        for _ in range(RUNS):
            with watched_folder(is_polled) as root, Compositor(root), control_group() as group:
                delay, end, count = measure(group)
            delays += delay
            ends += end
            counts += count
        row(f"{title}: from the first wait for memory to the warning at each of two players: median (slowest), ms",
            ms(delays))
        row(f"{title}: from the end of the waits to `normal` at each player: median (slowest), s",
            f"{statistics.median(ends):.1f} ({max(ends):.1f})")
        row(f"{title}: messages `normal` at each player", ", ".join(map(str, counts)))


@contextlib.contextmanager
def watched_folder(is_polled):
    """Yields the compositor's folder of kernel files: the kernel's own, or one in which triggers are not permitted."""
    if not is_polled:
        yield None
        return
    folder = tempfile.mkdtemp()
    os.makedirs(f"{folder}/proc/pressure")
    os.makedirs(f"{folder}/cgroup")
    os.symlink("/proc/meminfo", f"{folder}/proc/meminfo")
    os.symlink("/proc/self", f"{folder}/proc/self")
    file = f"{folder}/proc/pressure/memory"
    open(file, "w").close()
    # A trigger needs write access, which a read-only mount of the kernel's file refuses.
    subprocess.run(["mount", "--bind", KERNEL_FILE, file], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", file], check=True)
        yield folder
    finally:
        subprocess.run(["umount", file], check=True)
        shutil.rmtree(folder)


class Compositor:
    """A compositor that reads the kernel's files below a folder, for a `with` statement."""

    def __init__(self, root):
        self.arguments = ["--memory-root", root] if root else []

    def __enter__(self):
        self.process = start_compositor(*self.arguments)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


@contextlib.contextmanager
def control_group():
    """Yields the path of a new control group with a memory limit."""
    is_first_version = os.path.isdir("/sys/fs/cgroup/memory")
    path = ("/sys/fs/cgroup/memory" if is_first_version else "/sys/fs/cgroup") + f"/swiftplay-bench-{os.getpid()}"
    os.mkdir(path)
    try:
        limit = "memory.limit_in_bytes" if is_first_version else "memory.max"
        with open(f"{path}/{limit}", "w") as file: file.write(str(GROUP_LIMIT))
        yield path
    finally:
        os.rmdir(path)


def stall_microseconds():
    with open(KERNEL_FILE) as file: return int(file.readline().rpartition("=")[2])


class Observer:
    """A player whose property `memory-pressure` is recorded."""

    def __init__(self, number):
        self.path = f"{SOCKET}-{number}"
        self.program = Program(
            swiftplay(clip("count30.mp4"), "--loop-file", "--mute", f"--input-ipc-server={self.path}"))
        self.changes = []

    def __enter__(self):
        self.program.__enter__()
        self.remote = Remote(self.path)
        self.remote.wait_until("program-role", "be known", lambda role: role not in (None, "none"))
        self.remote.ask("observe_property", 1, "memory-pressure")
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.remote.socket.settimeout(None)
        self.reader.start()
        return self

    def read(self):
        for line in self.remote.lines:
            event = json.loads(line)
            if event.get("event") == "property-change": self.changes.append((now(), event.get("data")))

    def __exit__(self, *_):
        self.program.__exit__()
        self.reader.join()

    def times(self, is_normal, since):
        return [time for time, level in self.changes if time > since and (level == "normal") == is_normal]


def measure(group):
    """Makes pressure, and returns the delays of the warnings in ms, those of the ends in s, and the numbers of ends."""
    # The file belongs to no other control group, so that its pages count for the group that reads them.
    with tempfile.NamedTemporaryFile() as file, Observer(1) as first, Observer(2) as second:
        file.write(os.urandom(FILE_SIZE))
        file.flush()
        time.sleep(5)  # Both players have filled their buffers.
        before = stall_microseconds()

        def enter_group():
            with open(f"{group}/cgroup.procs", "w") as tasks: tasks.write(str(os.getpid()))

        reader = subprocess.Popen(
            [sys.executable, "-c", READER, file.name, str(SECONDS)], preexec_fn=enter_group)
        while stall_microseconds() == before and reader.poll() is None:
            time.sleep(0.001)
        onset = now()
        reader.wait()
        last, end = stall_microseconds(), now()
        if last - before < 500_000:
            sys.exit("bench: the control group did not wait for memory")
        time.sleep(14)
        players = (first, second)
        warned = [player.times(False, onset) for player in players]
        normal = [player.times(True, onset) for player in players]
        if not all(warned) or not all(normal):
            sys.exit(f"bench: a player was not notified: {[player.changes for player in players]}")
        return (
            [1000 * (times[0] - onset) for times in warned], [times[-1] - end for times in normal],
            [len(times) for times in normal])
