"""Measures Picture-in-Picture handoffs: their delay, lost frames, gaps and cost."""
from rig import *


def longest_unreadable_time(events, since, until, counts=lambda places: True):
    """Returns the longest time, in ms, in which no window showed a readable frame and `counts(places)` was true.

    `places` maps each window to the frame number that was read last. If the X server is interrupted while it draws,
    halves of two frames are visible, and no number can be read."""
    places, began, longest = {}, None, 0.0
    for t, name, frame in events + [(until, "", -1)]:
        if began is not None and since <= began <= until:
            longest = max(longest, min(t, until) - began)
        places[name] = frame
        is_dark = not any(seen >= 0 for seen in places.values()) and counts(places)
        began = None if not is_dark else t if began is None else began
    return 1000 * longest


def handoffs(fps, count, note="", isPaused=False, seeks=False):
    """Measures handoffs to the floating window and back.

    With `isPaused`, each handoff shows another frame; with `seeks`, a seek starts right before each handoff."""
    hold = 1.2
    commands = []
    with Program(swiftplay(clip(f"count{fps}.mp4"), f"--input-ipc-server={SOCKET}")):
        remote = Remote()
        remote.wait_for("picture-in-picture-possible", True)
        watch = Watch(count * (hold + 0.3 * isPaused) + 6, "swiftplay", "swiftplay-pip")
        # The sound server may start the first stream late.
        remote.wait_until("time-pos", "reach 1 s", lambda seconds: (seconds or 0) >= 1)
        dropped = remote.ask("get_property", "frame-drop-count")
        if isPaused:
            remote.ask("set_property", "pause", True)
            time.sleep(0.5)
        for i in range(count):
            if isPaused:
                remote.ask("frame-step")
                time.sleep(0.3)
            if seeks:
                remote.send("seek", 1 + 37 * i % 40, "absolute", "exact")
            commands.append((i % 2 == 0, now()))
            remote.ask("set_property", "picture-in-picture", i % 2 == 0)
            time.sleep(hold)
        dropped = remote.ask("get_property", "frame-drop-count") - dropped
        watch.finish()
    since, until = commands[0][1] - 0.5, commands[-1][1] + 1
    main, floating = watch.frames("swiftplay", since, until), watch.frames("swiftplay-pip", since, until)
    delays = {True: [], False: []}
    unseen = 0
    for starts, t in commands:
        new, old = (floating, main) if starts else (main, floating)
        last = max((frame for at, frame in old if at <= t), default=0)
        fresh = next((at for at, frame in new if at > t and (frame >= last or seeks)), None)
        if fresh is None or fresh > t + hold:
            unseen += 1
        else:
            delays[starts].append(1000 * (fresh - t))
    seen = sorted(main + floating)
    numbers = {frame for _, frame in seen}
    lost = max(numbers) - min(numbers) + 1 - len(numbers) if numbers else -1
    if lost > 0 and not seeks and not isPaused:
        # For diagnosis: the frames that the player itself dropped, and each lost frame's time after the last command.
        print(f"bench: the player dropped {dropped} late frames", file=sys.stderr)
        for gone in sorted(set(range(min(numbers), max(numbers))) - numbers)[:20]:
            at = next((t for t, frame in seen if frame > gone), 0)
            earlier = ((starts, t) for starts, t in commands if t <= at)
            starts, command = max(earlier, key=lambda command: command[1], default=(True, at))
            what = "start" if starts else "stop"
            print(f"bench: frame {gone}, {1000 * (at - command):.0f} ms after PiP {what}", file=sys.stderr)
    backwards = sum(b[1] < a[1] for place in (main, floating) for a, b in zip(place, place[1:]))
    newest, freeze = None, 0.0
    for t, frame in seen:
        if newest is None or frame > newest[1]:
            freeze = max(freeze, t - newest[0]) if newest else 0.0
            newest = (t, frame)
    how = ", paused" if isPaused else ", during a seek" if seeks else ""
    where = f"{fps} fps{how}{note}"
    row(f"PiP start to first new frame in the floating window, {where}: median (max), ms", ms(delays[True]))
    row(f"PiP stop to first new frame in the main window, {where}: median (max), ms", ms(delays[False]))
    # The placeholder in the main window has one colour in the area of the numbers.
    def is_empty(places):
        floating = places.get("swiftplay-pip", -2)
        return floating == -3 or floating == -2 and places.get("swiftplay") == -3

    empty = longest_unreadable_time(watch.events, since, until, is_empty)
    row(
        f"{count} handoffs, {where}: longest time without a complete frame in either window, ms / "
        "without any picture, ms / handoffs not seen",
        f"{longest_unreadable_time(watch.events, since, until):.1f} / {empty:.1f} / {unseen}")
    if not seeks:
        row(f"{count} handoffs, {where}: frames never shown / shown backwards", f"{lost} / {backwards}")
    if not seeks and not isPaused:
        row(f"{count} handoffs, {where}: longest time without a new frame, ms", f"{1000 * freeze:.1f}")
    if not isPaused and not seeks:
        row(f"{count} handoffs, {where}: silence, ms", str(watch.silence(since, until)))


def copies():
    """Measures the data that the processes exchange through the kernel while a 1080p film is in PiP."""
    with Program(swiftplay(clip("large30.mp4"), "--pip", f"--input-ipc-server={SOCKET}")):
        remote = Remote()
        remote.wait_for("picture-in-picture", True)
        time.sleep(1)
        process = compositor()
        with open(f"/proc/{process}/maps") as file:
            shared = [line.split()[1] for line in file if "memfd:swiftplay-frame" in line]
        writable = sum("w" in rights for rights in shared)
        row("frame memory mapped in the compositor, 1080p in PiP: mappings / writable mappings",
            f"{len(shared)} / {writable}")
        trace = os.path.join(os.environ["XDG_RUNTIME_DIR"], "bench.trace")
        if not shutil.which("strace"):
            return row("bytes per frame between the processes", "strace is not installed")
        before = remote.ask("get_property", "vo-frame-id")
        tracer = subprocess.Popen(
            ["strace", "-f", "-yy", "-e", "trace=read,readv,preadv2,recvmsg,recvfrom,write,writev,sendmsg,sendto",
             "-o", trace, "-p", str(process)],
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
        return row("bytes per frame between the processes", "strace could not trace the compositor")
    row(
        "bytes per frame through the kernel between the processes, 1080p in PiP (a frame has 3 110 400)",
        f"{(ring + message) / frames:.0f} (wake-ups {ring / frames:.0f}, messages {message / frames:.0f})")
