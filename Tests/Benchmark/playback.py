"""Compares playback with other players: sync, pacing, start, seeking, throughput and cost."""
import random

from rig import *


def sync():
    """Measures the offset between audio and video, and the pacing of frames, at 60 fps."""
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
            # Skip the first second, in which playback is not steady yet.
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
        offset = "no beeps recorded"
        if offsets:
            offset = f"{statistics.median(offsets):+.1f} ({min(offsets):+.1f} to {max(offsets):+.1f})"
        answers[name] = (
            offset, f"{statistics.median(jitters):.2f}" if jitters else "none seen",
            f"{statistics.median(lost):.0f}" if lost else "none seen")
    ours, theirs = answers["swiftplay"], answers.get("mpv", (None,) * 3)
    row("audio minus video, 60 fps: median (minimum to maximum), ms", ours[0], theirs[0])
    row("interval between frames, 60 fps: standard deviation, ms", ours[1], theirs[1])
    row(f"frames not shown in {seconds - 2} s, 60 fps", ours[2], theirs[2])


def start():
    runs, figures = (3 if options.quick else 6), {}
    for run in range(runs):
        for name, (window, command) in ALL_PLAYERS.items():
            watch = Watch(1.8, window)
            time.sleep(0.3)
            with Program(command(clip("count30.mp4"))) as program:
                watch.finish()
            # Skip the first run, which fills the caches.
            if (frames := watch.frames(window)) and run > 0:
                figures.setdefault(name, []).append(1000 * (frames[0][0] - program.started))
    compare(f"first frame after start, warm, 720p: median of {runs - 1}", figures, "ms", 0)


def seek():
    """Measures the time from a seek command to the target frame on the screen, while playing."""
    count, hold = (8 if options.quick else 30), 0.9
    for size in (720, 1080):
        for distance in (60, 250):
            medians, nineties, exact = {}, {}, {}
            for name, (window, command) in PLAYERS.items():
                delays, errors, seeks = [], [], []
                with Program(command(clip(f"seek{size}-{distance}.mp4"), f"--input-ipc-server={SOCKET}")):
                    remote = Remote()
                    watch = Watch(count * hold + 3, window)
                    time.sleep(1.5)
                    numbers = random.Random(7)
                    for _ in range(count):
                        frame = numbers.randrange(30, 540)
                        seeks.append((now(), frame))
                        remote.ask("seek", round((frame + 0.5) / 30, 4), "absolute+exact")
                        time.sleep(max(0, seeks[-1][0] + hold - now()))
                    watch.finish()
                for at, frame in seeks:
                    shown = watch.frames(window, at, at + hold)
                    hit = next(((t, seen) for t, seen in shown if 0 <= seen - frame <= 2), None)
                    if hit:
                        delays.append(1000 * (hit[0] - at))
                        errors.append(hit[1] - frame)
                medians[name], exact[name] = delays, f"{len(delays)} / {sum(error == 0 for error in errors)}"
                nineties[name] = [statistics.quantiles(delays, n=10)[-1]] if len(delays) > 1 else []
            what = f"exact seek while playing, {size}p, a keyframe every {distance} frames"
            compare(f"{what}: median", medians, "ms", 0)
            compare(f"{what}: 90th percentile", nineties, "ms", 0)
            row(f"{what}: of {count}, at most two frames late / exact frame", exact["swiftplay"], exact.get("mpv"))
            if distance == 60:
                scrub(size)


def scrub(size):
    """Measures the frame rate while seeks arrive 60 times a second for two seconds, as from a dragged slider."""
    figures = {}
    for name, (window, command) in PLAYERS.items():
        with Program(command(clip(f"seek{size}-60.mp4"), f"--input-ipc-server={SOCKET}", "--pause")):
            remote = Remote()
            watch = Watch(4.5, window)
            time.sleep(1.5)
            began = now()
            for step in range(120):
                remote.send("seek", round(1 + step * 0.14, 3), "absolute+exact")
                time.sleep(max(0, began + (step + 1) / 60 - now()))
            ended = now()
            watch.finish()
        figures[name] = [len(watch.frames(window, began, ended)) / (ended - began)]
    compare(f"frames per second while scrubbing {size}p (60 exact seeks per second)", figures, "1/s", 1)


def decode():
    """Measures decoding alone, without outputs, in frames per second."""
    for name, count in (("large60.mp4", 900), ("seek720-250.mp4", 600), ("uhd30.mkv", 480)):
        commands = {
            "swiftplay": [
                os.path.join(options.programs, "swiftplay"), "--untimed", "--vo=null", "--no-audio", clip(name)],
            "ffmpeg": ["ffmpeg", "-v", "error", "-nostdin", "-i", clip(name), "-map", "0:v", "-f", "null", "-"]}
        speeds = {name: [] for name in commands}
        for _ in range(RUNS * 2):
            for which, command in commands.items():
                began = now()
                subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
                speeds[which].append(count / (now() - began))
        ours, theirs = (statistics.median(speeds[which]) for which in ("swiftplay", "ffmpeg"))
        row(f"decoding only, whole file {name}, frames/s (compared with ffmpeg -f null)",
            f"{ours:.0f} ({ours / theirs:.2f} of ffmpeg's {theirs:.0f})")


def busy():
    """Measures dropped frames of 1080p60 in a window while one core is busy."""
    figures = {name: [] for name in ALL_PLAYERS}
    for _ in range(RUNS):
        for name, (window, command) in ALL_PLAYERS.items():
            watch = Watch(9, window)
            time.sleep(0.3)
            with Busy(), Program(command(clip("large60.mp4"))):
                watch.finish()
            frames = watch.frames(window)
            if len(frames) < 60:
                continue
            numbers = {frame for t, frame in frames if t > frames[0][0] + 1}
            figures[name].append(max(numbers) - min(numbers) + 1 - len(numbers))
    compare("frames not shown in 7 s of 1080p60, one core busy", figures, "frames", 0)


def use_cpu():
    seconds, server = (5 if options.quick else 10), x_server()

    def measure(command, ours):
        with Program(command) as program:
            time.sleep(3)
            processes = [program.process.pid] + ([p] if ours and (p := compositor()) else [])
            before, drawn = sum(map(cpu_seconds, processes)), cpu_seconds(server) if server else 0
            time.sleep(seconds)
            return sum(map(cpu_seconds, processes)) - before, (cpu_seconds(server) if server else 0) - drawn

    def runs(commands):
        """Runs the players in turns, because the machine's speed changes within minutes."""
        figures = {player: [] for player in commands}
        for _ in range(RUNS):
            for player, command in commands.items():
                figures[player].append(measure(command, player == "swiftplay"))
        return figures

    small = {
        "mpv": lambda file: mpv(file, "--geometry=480x270"),
        "ffplay": lambda file: ffplay(file, "-x", "480", "-y", "270")}
    for name, title in (("large30.mp4", "1080p30 H.264"), ("large60.mp4", "1080p60 H.264"), ("uhd30.mkv", "4K30 HEVC")):
        file = clip(name)
        window = runs({player: command(file) for player, (_, command) in ALL_PLAYERS.items()})
        others = {player: small[player](file) for player in ALL_PLAYERS if player in small}
        floating = runs({"swiftplay": swiftplay(file, "--pip"), **others})
        for place, figures in (("in a window", window), ("in PiP (other players in a window of its size)", floating)):
            compare(f"CPU for {seconds} s of {title} {place}, with audio, both processes together",
                    {n: [r[0] for r in v] for n, v in figures.items()}, "s")
            compare(f"CPU of the X server, {title} {place}", {n: [r[1] for r in v] for n, v in figures.items()}, "s")
