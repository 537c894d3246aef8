"""Measures audio sessions: reply times, and the delay and quality of gain changes."""
import array as arrays
import cmath
import math
import random

from claims import *


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def reply_times():
    """Measures the replies to random activations and deactivations among 50 and 1008 sessions."""
    quiet = subprocess.DEVNULL
    server = subprocess.Popen([os.path.join(options.programs, "swiftplay-compositor")], stdout=quiet, stderr=quiet)
    time.sleep(0.5)
    try:
        for programs, each in ((50, 1), (63, 16)):
            with connections(programs) as made:
                claimants = [Claimant(range(1, each + 1), connection) for connection in made]
                chance, times = random.Random(1), []
                for claimant in claimants:
                    for number in range(1, each + 1):
                        kind = chance.choice([
                            ("playback", "default", 0), ("playback", "default", 1), ("ambient", "default", 0),
                            ("playback", "voicePrompt", DUCKS)])
                        claimant.configure(number, *kind)
                for _ in range(100 if options.quick else 1000):
                    claimant, number = chance.choice(claimants), chance.randint(1, each)
                    # Reads pending notifications first, so that they do not count towards the reply time.
                    claimant.socket.setblocking(False)
                    try:
                        while claimant.socket.recv(8192):
                            pass
                    except BlockingIOError:
                        pass
                    claimant.socket.settimeout(5)
                    change = claimant.activate if chance.random() < 0.6 else claimant.deactivate
                    times.append(1000 * change(number)[0])
                    # Reads the notifications of all clients: the compositor disconnects clients that do not read.
                    for other in claimants:
                        other.socket.setblocking(False)
                        try:
                            while other.socket.recv(8192):
                                pass
                        except BlockingIOError:
                            pass
                        other.socket.settimeout(5)
                row(f"reply to an activation or deactivation, {programs * each} sessions: median (99th percentile), ms",
                    f"{statistics.median(times):.2f} ({percentile(times, 0.99):.2f})")
    finally:
        server.terminate()
        server.wait()


def blackman(x):
    """Returns the Blackman window at `x`, which is in 0…1."""
    return 0.42 - 0.5 * math.cos(2 * math.pi * x) + 0.08 * math.cos(4 * math.pi * x)


class SinkRecorder:
    """A recording of the sink, with the time at which the sink played each sample."""

    def __enter__(self):
        self.process = subprocess.Popen(
            ["parec", "--latency-msec=5", "--raw", f"--rate={RATE}", "--channels=1", "--format=s16le",
             "--device=null.monitor"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.sound, self.arrivals = arrays.array("h"), []
        self.reader = threading.Thread(target=self.read_sound)
        self.reader.start()
        return self

    def read_sound(self):
        rest = b""
        while data := os.read(self.process.stdout.fileno(), 65536):
            data = rest + data
            whole = len(data) // 2 * 2
            rest = data[whole:]
            self.sound.extend(arrays.array("h", data[:whole]))
            self.arrivals.append((now(), len(self.sound)))

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.reader.join()
        delays = sorted(t - n / RATE for t, n in self.arrivals)
        self.origin = delays[len(delays) // 10] if delays else 0

    def levels(self, hertz, window=480, hop=240):
        """Returns pairs of time and level of a tone, in windows of 10 ms.

        The level is in dB relative to the amplitude 0.25 of the tone files."""
        table = [blackman(i / window) * cmath.exp(-2j * math.pi * hertz * i / RATE) for i in range(window)]
        result = []
        for start in range(0, len(self.sound) - window, hop):
            part = self.sound[start:start + window]
            amplitude = 2 * abs(sum(a * b for a, b in zip(part, table))) / (0.42 * window * 32768)
            result.append((self.origin + (start + window / 2) / RATE, 20 * math.log10(max(amplitude / 0.25, 1e-7))))
        return result

    def energy_outside_tone(self, hertz, at):
        """Returns the energy more than 200 Hz away from the tone, in dB relative to it, in the 1.2 s around `at`."""
        size, middle = 65536, int((at - self.origin) * RATE)
        length = int(1.2 * RATE)
        begin = max(0, middle - length // 2)
        part = self.sound[begin:begin + length]
        if len(part) < length:
            return None
        values = [complex(sample * blackman(i / length)) for i, sample in enumerate(part)]
        spectrum = fft(values + [0j] * (size - length))
        tone = rest = 0.0
        for k in range(1, size // 2):
            energy = abs(spectrum[k]) ** 2
            if abs(k * RATE / size - hertz) <= 200:
                tone += energy
            else:
                rest += energy
        return 10 * math.log10(max(rest, 1e-9) / tone)


def fft(values):
    """Returns the discrete Fourier transform. The number of values must be a power of two."""
    count = len(values)
    if count == 1:
        return values
    even, odd = fft(values[::2]), fft(values[1::2])
    turned = [cmath.exp(-2j * math.pi * k / count) * odd[k] for k in range(count // 2)]
    return [even[k] + turned[k] for k in range(count // 2)] + [even[k] - turned[k] for k in range(count // 2)]


def tone(hertz, *arguments):
    return swiftplay(clip(f"tone-{hertz}.wav"), "--vo=null", *arguments)


def fall(levels, since, level):
    return next((t for t, db in levels if t > since and db < level), None)


def rise(levels, since, level):
    return next((t for t, db in levels if t > since and db > level), None)


def gains():
    """Measures the delay, the duration and the artefacts when a silent client ducks and interrupts a tone."""
    starts, bottoms, tops, silences, clicks = [], [], [], [], []
    for _ in range(RUNS + 2):
        with SinkRecorder() as recorder, Program(tone(1000)):
            time.sleep(1.5)
            prompt = Claimant()
            prompt.configure(1, "playback", "voicePrompt", DUCKS)
            prompt.activate()
            ducked = now()
            time.sleep(1.3)
            prompt.deactivate()
            freed = now()
            time.sleep(1.5)
            prompt.configure(1, "playback")
            prompt.activate()
            taken = now()
            time.sleep(0.9)
            prompt.close()
            time.sleep(0.3)
        levels = recorder.levels(1000)
        start, bottom, top = fall(levels, ducked, -0.5), fall(levels, ducked, -13.5), rise(levels, freed, -0.5)
        first, silent = fall(levels, taken, -0.5), fall(levels, taken, -68)
        if None in (start, bottom, top, first, silent):
            continue
        starts += [1000 * (start - ducked), 1000 * (first - taken)]
        bottoms.append(1000 * (bottom - start))
        tops.append(1000 * (top - freed))
        silences.append(1000 * (silent - first))
        values = (recorder.energy_outside_tone(1000, at) for at in (start + 0.12, top - 0.25, first + 0.01))
        clicks += [value for value in values if value is not None]
    row("request to the audible start of a duck or fade: median (max), ms", ms(starts))
    row("duck, start to -14 dB; duck, end to full level; fade, start to silence: median (max), ms",
        f"{ms(bottoms)}; {ms(tops)}; {ms(silences)}")
    row("energy outside the tone during a gain change: median (max), dB",
        f"{statistics.median(clicks):.0f} ({max(clicks):.0f})" if clicks else "none seen")


def role_ducking():
    """Measures PulseAudio's module-role-ducking for comparison."""
    module = subprocess.run(
        ["pactl", "load-module", "module-role-ducking", "trigger_roles=phone", "ducking_roles=music", "volume=-20dB"],
        capture_output=True, text=True)
    if module.returncode:
        return row("PulseAudio's role ducking", "pactl could not load the module")

    def play(role, name):
        return subprocess.Popen(
            ["paplay", f"--property=media.role={role}", clip(name)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    try:
        with SinkRecorder() as recorder:
            music = play("music", "tone-1000.wav")
            time.sleep(1.5)
            began = now()
            call = play("phone", "silence.wav")
            time.sleep(1.5)
            call.kill()
            call.wait()
            ended = now()
            time.sleep(1.5)
            music.kill()
            music.wait()
    finally:
        subprocess.run(["pactl", "unload-module", module.stdout.strip()], stdout=subprocess.DEVNULL)
    levels = recorder.levels(1000)
    start, bottom, top = fall(levels, began, -1), fall(levels, began, -19), rise(levels, ended, -1)
    if None in (start, bottom, top):
        return row("PulseAudio's role ducking", "the tone was not ducked")
    row("PulseAudio's role ducking (-20 dB): request to start, start to -19 dB, end to full level, ms; "
        "energy outside the tone, dB; notifies the ducked program",
        f"{1000 * (start - began):.0f}, {1000 * (bottom - start):.0f}, {1000 * (top - ended):.0f}; "
        f"{recorder.energy_outside_tone(1000, start) or 0:.0f}; no")


def underruns():
    """Counts the gaps in a tone while one core is busy."""
    figures = {name: [] for name in ALL_PLAYERS if name != "ffplay"}
    for _ in range(RUNS):
        for name in figures:
            theirs = [MPV, "--no-config", "--no-terminal", "--ao=alsa", "--no-video", clip("tone-1000.wav")]
            command = tone(1000) if name == "swiftplay" else theirs
            with Busy(), SinkRecorder() as recorder, Program(command):
                time.sleep(8)
            parts = (recorder.sound[i:i + WINDOW] for i in range(0, len(recorder.sound) - WINDOW, WINDOW))
            loud = [max(max(part), -min(part)) > 300 for part in parts]
            first, last = loud.index(True), len(loud) - 1 - loud[::-1].index(True)
            inside = loud[first:last - 250]
            figures[name].append(sum(1 for a, b in zip(inside, inside[1:]) if a and not b))
    compare("gaps in 7 s of a tone, one core busy", figures, "gaps", 0)


def sessions():
    reply_times()
    gains()
    role_ducking()
    underruns()
