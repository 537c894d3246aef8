"""Kills, hangs and attacks real processes, and checks the frames on the screen and the resources of the processes.
scripts/stress runs it."""
import os
import select
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Benchmark"))
from rig import *
from attacker import Attacker, dice

ROUNDS = int(os.environ.get("SIEGE_ROUNDS", "100"))
MESSAGES = int(os.environ.get("SIEGE_MESSAGES", "1000000"))
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print(f"stress: FAILED: {what}", file=sys.stderr)


def say(what):
    print(f"stress: {what}")


def poll_until(condition, seconds=10):
    """Polls `condition` and returns its first true value; None after `seconds`."""
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


def shared_memory():
    """Returns the shared memory of all processes of the machine, in MB."""
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Shmem:")) / 1024


def check_shared_memory(part):
    """Runs a part and checks that no shared memory remains after it, when all its programs have ended."""
    # The X server and the sound server keep the memory of their first clients.
    with Program(player("--pip")):
        Remote().wait_for("picture-in-picture", True)
        time.sleep(1)
    poll_until(lambda: not processes("swiftplay-compositor"), 15)
    before = shared_memory()
    part()
    poll_until(lambda: not processes("swiftplay-compositor"), 15)
    after = poll_until(lambda: abs(shared_memory() - before) <= 1, 5)
    check(after, f"shared memory: {before:.1f} MB before, {shared_memory():.1f} MB after")
    say(f"shared memory of the machine: {before:.1f} MB before, {shared_memory():.1f} MB after")


def windows():
    """Returns the number of Picture-in-Picture windows, mapped or not."""
    text = subprocess.run(["xwininfo", "-root", "-tree"], capture_output=True, text=True).stdout
    return text.count('"swiftplay-pip"')


def processes(name):
    """Returns the running processes of a program that share this runtime directory."""
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
    return swiftplay(
        clip("count30.mp4"), "--loop-file", f"--input-ipc-server={SOCKET}", "--geometry=640x360+60+60", *arguments)


def kill_compositor():
    """Kills the compositor at random moments. Playback must continue, and no resources may leak."""
    stops, slowest = 0, 0.0
    with Program(player()) as program:
        remote = Remote()
        remote.wait_for("picture-in-picture-possible", True)
        # Start and end Picture-in-Picture once before counting, because the first start grows the frame pool.
        for isActive in True, False:
            remote.ask("set_property", "picture-in-picture", isActive)
            remote.wait_for("picture-in-picture", isActive)
        time.sleep(1)
        # The frame pool keeps its memory files up to its limit, so all other descriptors are counted separately.
        def others():
            return descriptors(program.process.pid) - frame_descriptors(program.process.pid)
        before, frames = others(), frame_descriptors(program.process.pid)
        for _ in range(ROUNDS):
            if poll_until(lambda: remote.ask("get_property", "picture-in-picture-possible"), 15) is None:
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
            moved = poll_until(lambda: remote.ask("get_property", "time-pos") != position, 2)
            stops += moved is None
            gone = poll_until(lambda: windows() == 0, 5)
            check(gone, "a window remains after the compositor was killed")
            slowest = max(slowest, now() - killed)
            # After four compositor crashes within ten seconds, the player waits ten seconds before it starts another
            # compositor.
            time.sleep(2.8)
        check(stops == 0, f"playback stopped {stops} times")
        check(program.process.poll() is None, "the player exited")
        poll_until(lambda: remote.ask("get_property", "picture-in-picture-possible"), 15)
        remote.ask("set_property", "picture-in-picture", False)
        after = poll_until(lambda: others() <= before or None, 5)
        check(after, f"the player has {others()} descriptors, {before} before")
        held = frame_descriptors(program.process.pid)
        check(held <= 2 * frames, f"the player holds {held} frame buffers, {frames} before")
    left = poll_until(lambda: not processes("swiftplay"), 5)
    check(left, "a player process remains")
    say(f"the compositor was killed {ROUNDS} times: playback stopped {stops} times; "
        f"window gone within {1000 * slowest:.0f} ms")


def kill_players():
    """Kills players at random moments. The window must close within 200 ms, and the compositor must free all
    resources of the player."""
    delays = []
    # A second player keeps the compositor running.
    with Program(swiftplay(
            clip("count30.mp4"), "--loop-file", "--geometry=320x180+900+60", f"--input-ipc-server={SOCKET}")):
        other = Remote()
        other.wait_for("picture-in-picture-possible", True)
        process = poll_until(compositor)
        time.sleep(1)
        before, size = (descriptors(process), frame_memory(process)), None
        for round in range(ROUNDS):
            victim = subprocess.Popen(
                swiftplay(clip("count30.mp4"), "--pip", "--mute", "--geometry=320x180+60+60"), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            poll_until(lambda: windows() > 0, 10)
            time.sleep(dice.random() * 0.5)
            victim.kill()
            killed = now()
            gone = poll_until(lambda: windows() == 0, 5)
            delays.append(1000 * (now() - killed))
            victim.wait()
            check(gone, "a window remains after its player was killed")
            check(compositor() == process, "the compositor was restarted")
            if round == ROUNDS // 5:
                size = memory(process)
        after = poll_until(lambda: (descriptors(process), frame_memory(process)) == before or None, 5)
        check(after, f"descriptors and mappings: {(descriptors(process), frame_memory(process))}, {before} before")
        end = memory(process)
        check(end <= size + 4, f"the memory of the compositor grew from {size:.1f} to {end:.1f} MB")
    check(max(delays) <= 200, f"a window remained for {max(delays):.0f} ms")
    say(f"a player was killed {ROUNDS} times: window closed after {statistics.median(delays):.0f} ms (median), "
        f"{max(delays):.0f} ms (maximum); the compositor's memory {size:.1f} to {end:.1f} MB")


def next_line(program, seconds=30):
    """Returns the next line of a program's output; "" if none arrives in time. The output must be unbuffered."""
    line, deadline = b"", now() + seconds
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([program.stdout], [], [], max(0, deadline - now()))
        byte = os.read(program.stdout.fileno(), 1) if ready else b""
        if not byte: return ""
        line += byte
    return line.decode()


def hang_main_queue():
    """Hangs the main queue of a program in Picture-in-Picture for 13 s. For 10 s, no frame may be late; then the close
    button must work."""
    program = subprocess.Popen(
        [os.path.join(options.programs, "HangingProgram"), clip("count30.mp4"), "13"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, bufsize=0)
    try:
        check(next_line(program) == "started\n", "the program did not start Picture-in-Picture")
        # Wait until the sound server has settled after the connection of a new client; its delay is not part of this
        # test.
        time.sleep(4)
        program.send_signal(signal.SIGUSR1)
        check(next_line(program) == "hanging\n", "the program does not hang")
        frames = Watch(10.5, "swiftplay-pip").finish().frames("swiftplay-pip")
        numbers = {frame for _, frame in frames}
        longest = max((b[0] - a[0] for a, b in zip(frames, frames[1:])), default=9)
        lost = max(numbers, default=0) - min(numbers, default=0) + 1 - len(numbers)
        check(
            len(numbers) > 300 and lost == 0,
            f"{lost} frames were not shown while the main queue hung, of {len(numbers)}")
        check(longest <= 2 / 30, f"{1000 * longest:.0f} ms without a new frame while the main queue hung")
        search = ["xdotool", "search", "--classname", "swiftplay-pip"]
        place = subprocess.run(search, capture_output=True, text=True).stdout.split()[-1]
        move = ["mousemove", "--window", place]
        subprocess.run(["xdotool", *move, "200", "200", *move, "441", "38", "click", "1"], check=True)
        pressed = now()
        gone = poll_until(lambda: windows() == 0, 5)
        check(gone, "the close button did not close the window of a program that hangs")
        closed = now() - pressed
        # When the main queue runs again, the delegate must be notified that Picture-in-Picture has stopped.
        check(
            next_line(program) == "stopped: closed, rate 0.0\n",
            "the program was not notified that its window was closed")
    finally:
        program.kill()
        program.wait()
        subprocess.run(["xdotool", "mousemove", "5", "5"])
    say(f"the main queue hung for 10 s: {lost} frames not shown, longest time without a new frame "
        f"{1000 * longest:.0f} ms; closed by its button within {1000 * closed:.0f} ms")


def send_hostile_messages():
    """Sends limit values, malformed messages and wrong descriptors to the compositor while a clip plays in
    Picture-in-Picture."""
    # A request for a window is valid. If only one window were allowed, the attacker's window would replace the clip's
    # window.
    settings = os.path.join(os.environ["XDG_CONFIG_HOME"], "swiftplay")
    os.makedirs(settings, exist_ok=True)
    with open(os.path.join(settings, "compositor.conf"), "w") as file:
        file.write("pip-windows=8\n")
    poll_until(lambda: not processes("swiftplay-compositor"), 15)
    # Any program may report a call or interrupt the audio of others, which is not an attack. The clip therefore plays
    # without audio.
    with Program(player("--pip", "--ao=null")):
        remote = Remote()
        remote.wait_for("picture-in-picture", True)
        time.sleep(1)
        process, before = compositor(), None
        before = descriptors(process)
        attacker, began, gaps, shown, lost = Attacker(), now(), [], 0, 0
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
                # Send in bursts, so that the attacker does not keep a processor core busy.
                time.sleep(0.001)
            frames = watch.finish().frames("swiftplay-pip")
            gaps += [b[0] - a[0] for a, b in zip(frames, frames[1:])]
            numbers = {frame for _, frame in frames}
            shown += len(numbers)
            # The frame number decreases at the end of a loop, which is not a lost frame.
            lost += sum(b[1] - a[1] - 1 for a, b in zip(frames, frames[1:]) if b[1] > a[1])
        check(compositor() == process, "the compositor exited")
        late = sum(gap > 2 / 30 for gap in gaps)
        check(late == 0 and lost == 0, f"the clip beside the attacker: {late} late frames, {lost} not shown of {shown}")
        if attacker.socket:
            attacker.socket.close()
        after = poll_until(lambda: descriptors(process) == before or None, 5)
        check(after, f"the compositor has {descriptors(process)} descriptors, {before} before")
        say(f"{attacker.sent} hostile messages over {attacker.connections} connections in {now() - began:.0f} s: "
            f"the clip beside the attacker showed {shown} frames, {late} late, {lost} not shown; "
            f"memory of the compositor: {memory(process):.1f} MB")


parts = {
    "compositor-kills": lambda: check_shared_memory(kill_compositor),
    "player-kills": lambda: check_shared_memory(kill_players), "hanging": hang_main_queue,
    "hostile": send_hostile_messages}
for part in os.environ.get("SIEGE_PARTS", ",".join(parts)).split(","):
    if part not in parts:
        sys.exit(f"stress: unknown part '{part}'; parts: {', '.join(parts)}")
    parts[part]()
sys.exit(1 if failures else 0)
