"""Memory: compared with other players, by role, after a warning, and over time."""
import links
from rig import *

# The variants of the stream: size, video rate, declared kb/s.
VARIANTS = [
    ("1920x1080", "5000k", 6000), ("1280x720", "2200k", 2930), ("960x540", "1200k", 1610), ("640x360", "620k", 840),
    ("320x180", "240k", 345)]


def use_memory():
    compare_players()
    stream_in_picture_in_picture()
    warning()
    idle_monitor()
    if options.plot:
        plot()


def compare_players():
    """Compares the memory 8 s after the start, when the buffers are full."""
    def measure(command, ours):
        with Program(command) as program:
            time.sleep(8)
            processes = [program.process.pid] + ([compositor()] if ours else [])
            samples = []
            for _ in range(4):
                samples.append(sum(memory(process) for process in processes if process))
                time.sleep(0.4)
            return statistics.median(samples)

    for name, title in (("large30.mp4", "1080p H.264"), ("uhd30.mkv", "4K HEVC")):
        file = clip(name)
        others = {
            player: [measure(command(file), False) for _ in range(RUNS)]
            for player, (_, command) in ALL_PLAYERS.items() if player != "swiftplay"}
        for arguments, place in ((["--pip"], "in PiP"), ([], "in a window")):
            ours = [measure(swiftplay(file, *arguments), True) for _ in range(RUNS)]
            compare(f"memory, {title} {place}, both processes together, PSS", {"swiftplay": ours, **others}, "MB", 1)


def stream_in_picture_in_picture():
    """Measures a stream that moves into Picture-in-Picture and back."""
    folder = os.path.join(options.clips, "stream-1080p")
    links.make_stream(folder, VARIANTS, 60, "veryfast", "noise=alls=12:allf=t")
    used, dropped, returns, before, after = [], [], [], [], []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as scratch, links.Server(folder, {"rate": 50}, scratch) as server:
            with Program(swiftplay(server.address + "/stream.m3u8", f"--input-ipc-server={SOCKET}")) as program:
                remote = Remote()
                remote.wait_for("program-role", "primary")
                time.sleep(10)
                before.append(seek_time(remote, 12))
                remote.ask("set_property", "picture-in-picture", True)
                remote.wait_for("program-role", "background")
                drops = remote.ask("get_property", "frame-drop-count")
                time.sleep(5)
                used.append(memory(program.process.pid) + memory(compositor()))
                dropped.append(remote.ask("get_property", "frame-drop-count") - drops)
                remote.ask("set_property", "picture-in-picture", False)
                left = began = now()
                while True:
                    asked = now()
                    if asked > began + 10:
                        sys.exit("bench: Picture-in-Picture does not end")
                    if not remote.ask("get_property", "picture-in-picture"):
                        break
                    left = asked
                while remote.ask("get_property", "program-role") != "primary":
                    if now() - left > 10:
                        sys.exit("bench: the program does not become primary again")
                returns.append(1000 * (now() - left))
                after.append(seek_time(remote, 20))
    row("memory, stream with variants up to 1080p, 5 s after the change to background media, both processes, PSS, MB",
        f"{statistics.median(used):.1f}")
    row("frames dropped in these 5 s", f"{statistics.median(dropped):.0f}")
    row("from the end of Picture-in-Picture to the limits of the primary role: median (slowest), ms", ms(returns))
    row("seek inside the buffer before Picture-in-Picture; first one after it, ms", f"{ms(before)}; {ms(after)}")


def seek_time(remote, position):
    """Returns the milliseconds from a seek command until the player shows the picture."""
    began = now()
    remote.ask("seek", position, "absolute+exact")
    while remote.ask("get_property", "seeking"):
        if now() - began > 10:
            sys.exit("bench: a seek does not end")
    return 1000 * (now() - began)


class SimulatedMemory:
    """Copies of the kernel's files about memory for a compositor, and this compositor, for a `with` statement."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp()
        for name in ("proc/self", "proc/pressure", "cgroup/app"):
            os.makedirs(f"{self.folder}/{name}")
        for name, text in (
                ("proc/self/cgroup", "0::/app\n"), ("cgroup/app/memory.current", "80\n"),
                ("cgroup/app/memory.high", "1000\n"), ("cgroup/app/memory.max", "max\n"),
                ("cgroup/app/memory.events", "max 0\noom 0\noom_kill 0\n")):
            self.write(name, text)
        self.set_available(90)
        self.process = start_compositor("--memory-root", self.folder)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)

    def write(self, name, text):
        # As the kernel does, change the file in place.
        with open(f"{self.folder}/{name}", "w") as file: file.write(text)

    def set_available(self, percent):
        self.write("proc/meminfo", f"MemTotal: 1000000 kB\nMemAvailable: {percent * 10000} kB\n")


def long_clip():
    """Returns a clip of 75 s: the clip of 1080p, three times."""
    file = clip("large90.mp4")
    if not os.path.exists(file):
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-stream_loop", "2", "-i", clip("large30.mp4"), "-c", "copy", file],
            check=True)
    return file


def warning():
    """Measures what a player in a window releases when memory becomes short."""
    folder = os.path.join(options.clips, "stream-1080p")
    with tempfile.TemporaryDirectory() as scratch, links.Server(folder, {"rate": 50}, scratch) as server:
        for title, location in (
                ("1080p file in a window", long_clip()),
                ("stream in a window", server.address + "/stream.m3u8")):
            release_after_warning(title, location)


def release_after_warning(title, location):
    """Measures a critical warning at a player that has filled its buffers."""
    delays, above, released, dropped = [], [], [], []
    for _ in range(RUNS):
        with SimulatedMemory() as simulated, Program(swiftplay(location, f"--input-ipc-server={SOCKET}")) as program:
            remote = Remote()
            remote.wait_for("program-role", "primary")
            time.sleep(12)
            drops, before = remote.ask("get_property", "frame-drop-count"), unshared_memory(program.process.pid)
            began = now()
            simulated.set_available(4)
            remote.wait_for("memory-pressure", "critical")
            delays.append(1000 * (now() - began))
            time.sleep(1)
            released.append(before - unshared_memory(program.process.pid))
            time.sleep(14)
            above.append(before - unshared_memory(program.process.pid))
            dropped.append(remote.ask("get_property", "frame-drop-count") - drops)
    row(f"{title}: from a shortage of memory (polled every second) to the program: median (slowest), ms", ms(delays))
    row(f"{title}: memory released within 1 s after a critical warning; within 15 s, in each run, MB",
        ", ".join(f"{first:.1f}; {last:.1f}" for first, last in zip(released, above)))
    row("frames dropped meanwhile", f"{statistics.median(dropped):.0f}")


def unshared_memory(process):
    """Returns the memory (PSS) of a process except that of files, such as code, in MB."""
    with open(f"/proc/{process}/smaps_rollup") as file:
        sizes = dict(line.split()[:2] for line in list(file)[1:])
    return (int(sizes["Pss_Anon:"]) + int(sizes["Pss_Shmem:"])) / 1024


def idle_monitor():
    """Measures the compositor's processor time while a paused player is connected."""
    seconds = 10 if options.quick else 30
    with Program(swiftplay(clip("large30.mp4"), "--pause")):
        time.sleep(6)
        process = compositor()
        before = processor_nanoseconds(process)
        time.sleep(seconds)
        share = (processor_nanoseconds(process) - before) / seconds / 1e7
    row(f"the compositor's processor time in {seconds} s with a paused player, percent", f"{share:.3f}")


def processor_nanoseconds(process):
    total = 0
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/schedstat") as file: total += int(file.read().split()[0])
    return total


def plot():
    """Draws the memory of a player and the compositor: window, Picture-in-Picture, short of memory, window."""
    samples, marks = [], []
    with SimulatedMemory() as simulated, Program(
            swiftplay(long_clip(), f"--input-ipc-server={SOCKET}")) as program:
        remote, began = Remote(), now()

        def sample(seconds, label, action=lambda: None):
            marks.append((label, now() - began))
            action()
            end = now() + seconds
            while now() < end:
                samples.append((now() - began, memory(program.process.pid), memory(compositor())))
                time.sleep(0.2)

        sample(10, "window")
        sample(10, "PiP", lambda: remote.ask("set_property", "picture-in-picture", True))
        sample(8, "window", lambda: remote.ask("set_property", "picture-in-picture", False))
        sample(8, "memory is short", lambda: simulated.set_available(4))
        sample(14, "memory is free", lambda: simulated.set_available(90))
    draw(samples, marks)


def draw(samples, marks):
    """Writes the plot as SVG."""
    width, height, left, top = 960, 420, 70, 40
    last, highest = samples[-1][0], max(own + other for _, own, other in samples) * 1.1

    def x(t): return left + (width - left - 20) * t / last
    def y(value): return height - 50 - (height - top - 50) * value / highest

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        'font-size="13">',
        f'<rect width="{width}" height="{height}" fill="white"/><text x="{left}" y="22" font-size="16">Memory (PSS) of '
        'a 1080p film over time</text>']
    for value in range(0, int(highest), 20):
        lines.append(f'<line x1="{left}" x2="{width - 20}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>')
        lines.append(f'<text x="{left - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value} MB</text>')
    for second in range(0, int(last) + 1, 5):
        lines.append(f'<text x="{x(second):.1f}" y="{height - 28}" text-anchor="middle">{second} s</text>')
    for label, at in marks:
        lines.append(f'<line x1="{x(at):.1f}" x2="{x(at):.1f}" y1="{top}" y2="{height - 50}" stroke="#888" '
                     'stroke-dasharray="4 3"/>')
        lines.append(f'<text x="{x(at) + 4:.1f}" y="{top + 12}" fill="#555">{label}</text>')
    curves = (("both processes", "#1565c0", lambda own, other: own + other),
              ("compositor", "#c62828", lambda own, other: other))
    for i, (label, colour, value) in enumerate(curves):
        points = " ".join(f"{x(t):.1f},{y(value(own, other)):.1f}" for t, own, other in samples)
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines.append(f'<text x="{left + i * 260}" y="{height - 8}" fill="{colour}">{label}</text>')
    with open(options.plot, "w") as file: file.write("\n".join(lines + ["</svg>"]))
