"""Terminals: bytes, processor time, the error of a photograph, and silence while a terminal accepts no bytes."""
import fcntl
import math
import pty
import re
import select
import struct
import termios

from rig import *

COLUMNS, ROWS, CELL_WIDTH, CELL_HEIGHT = 120, 34, 10, 20
# The arguments with which mpv uses its terminal like a user's, without its status line.
MPV_ARGUMENTS = ["--ao=alsa", "--no-config", "--keep-open=yes", "--quiet"]
# Replies to queries: device attributes with and without sixel graphics, and kitty graphics.
PLAIN, SIXEL, KITTY = b"\x1b[?62c", b"\x1b[?62;4c", b"\x1b_Gi=31;OK\x1b\\\x1b[?62c"
# The start of a sixel or kitty image.
IMAGE = re.compile(rb"\x1bP[0-9;]*q|\x1b_Ga=T")
PIXEL_QUERY, PIXEL_REPLY = b"\x1b[16t", f"\x1b[6;{CELL_HEIGHT};{CELL_WIDTH}t".encode()


class Terminal:
    """A program on a pseudo-terminal of 120x34 cells that reads everything, for the duration of a `with` statement."""

    def __init__(self, command, attributes=PLAIN, keeps=False, **environment):
        self.command, self.attributes, self.keeps = command, attributes, keeps
        self.environment = {
            name: value for name, value in os.environ.items() if name not in ("DISPLAY", "COLORTERM", "TMUX", "STY")}
        self.environment.update({"TERM": "xterm-256color", "LANG": "C.UTF-8", **environment})

    def __enter__(self):
        self.master, slave = pty.openpty()
        size = struct.pack("HHHH", ROWS, COLUMNS, COLUMNS * CELL_WIDTH, ROWS * CELL_HEIGHT)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
        self.count, self.images, self.output, self.isFrozen, self.isStopping = 0, 0, bytearray(), False, False
        self.lastRead = now()
        self.process = subprocess.Popen(
            self.command, stdin=slave, stdout=slave, stderr=slave, env=self.environment, start_new_session=True)
        os.close(slave)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        return self

    def read(self):
        tail = b""
        while not self.isStopping:
            if self.isFrozen:
                time.sleep(0.005)
                continue
            try:
                if not select.select([self.master], [], [], 0.05)[0]:
                    continue
                data = os.read(self.master, 1 << 16)
            except OSError:
                return
            self.count += len(data)
            self.images += len(IMAGE.findall(data))
            self.lastRead = now()
            if self.keeps:
                self.output += data
            # The queries are at the start of the output.
            if self.count < 1 << 16:
                tail += data
                for query, reply in ((b"\x1b[c", self.attributes), (PIXEL_QUERY, PIXEL_REPLY)):
                    if query in tail:
                        os.write(self.master, reply)
                        tail = tail.replace(query, b"")

    def __exit__(self, *_):
        if self.process.poll():
            sys.exit(f"bench: {' '.join(self.command)} failed with status {self.process.returncode}")
        self.isFrozen = False
        end(self.process)
        self.isStopping = True
        self.reader.join()
        os.close(self.master)


def mpv_terminal(file, *arguments):
    return [MPV, *MPV_ARGUMENTS, *arguments, file]


def use_terminal():
    compare_drawing()
    blocked()
    photograph()


def compare_drawing():
    """Compares the bytes per second and the processor time of drawing modes."""
    seconds = 5 if options.quick else 10
    file = clip("count30.mp4")
    outputs = subprocess.run([MPV, "--vo=help"], capture_output=True, text=True).stdout if MPV else ""
    modes = (
        ("24-bit colours, blocks (mpv: tct)", "terminal", PLAIN, ["--vo=tct"], {"COLORTERM": "truecolor"}),
        ("24-bit colours, half blocks (mpv: tct)", "tct", PLAIN, ["--vo=tct"], {"COLORTERM": "truecolor"}),
        ("256 colours, blocks (mpv: tct)", "terminal", PLAIN, ["--vo=tct", "--vo-tct-256=yes"], {}),
        ("sixel", "sixel", SIXEL, ["--vo=sixel"], {}),
        ("kitty", "kitty", KITTY, ["--vo=kitty"] if " kitty " in outputs else None, {}))
    for title, output, attributes, others, environment in modes:
        used, written, images = ({"swiftplay": [], "mpv": []} for _ in range(3))
        for _ in range(RUNS):
            commands = {"swiftplay": swiftplay(file, f"--vo={output}", "--really-quiet")}
            if MPV and others:
                commands["mpv"] = mpv_terminal(file, *others)
            for name, command in commands.items():
                with Terminal(command, attributes, **environment) as terminal:
                    time.sleep(3)
                    before, count, shown = cpu_seconds(terminal.process.pid), terminal.count, terminal.images
                    time.sleep(seconds)
                    used[name].append(cpu_seconds(terminal.process.pid) - before)
                    written[name].append((terminal.count - count) / seconds / 1e6)
                    images[name].append((terminal.images - shown) / seconds)
        compare(f"terminal 120x34, 720p30, {title}: CPU for {seconds} s", used, "s")
        compare(f"terminal 120x34, 720p30, {title}: bytes per second", written, "MB")
        # A player that is too slow draws fewer images, and then uses less processor time.
        if output in ("sixel", "kitty"):
            compare(f"terminal 120x34, 720p30, {title}: images per second", images, "1/s", 1)


def blocked():
    """Measures the silence around 2 s in which the terminal accepts no bytes."""
    gaps = []
    for _ in range(RUNS):
        watch = Watch(9, "swiftplay")
        command = swiftplay(clip("count30.mp4"), "--vo=terminal", "--really-quiet")
        with Terminal(command, COLORTERM="truecolor") as terminal:
            time.sleep(4)
            frozen = now()
            terminal.isFrozen = True
            time.sleep(2)
            terminal.isFrozen = False
            time.sleep(1)
            end = now()
            watch.finish()
        gaps.append(watch.silence(frozen - 0.5, end))
    row("terminal that accepts no bytes for 2 s: silence in 3.5 s (longest), ms", f"{max(gaps)}")


# The quarters of a cell with the foreground colour for each block character, as bits: 1 upper left, 2 upper right,
# 4 lower left, 8 lower right.
QUARTERS = dict(zip(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█", range(16)))


def palette():
    """Returns the 256 colours of xterm."""
    basic = [(0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205),
             (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255),
             (0, 255, 255), (255, 255, 255)]
    levels = (0, 95, 135, 175, 215, 255)
    cube = [(r, g, b) for r in levels for g in levels for b in levels]
    return basic + cube + [(8 + 10 * i,) * 3 for i in range(24)]


class Screen:
    """The characters and colours that a program's output leaves on a terminal."""

    TOKEN = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\x1b[_P\]].*?(?:\x1b\\|\x07)|\x1b.|[\s\S]", re.DOTALL)

    def __init__(self, output):
        self.cells, self.colours = {}, palette()
        x = y = 0
        foreground, background = (229, 229, 229), (0, 0, 0)
        for token in self.TOKEN.finditer(output.decode("utf-8", "replace")):
            text, (parameters, final) = token[0], token.groups()
            numbers = [int(n or 0) for n in (parameters or "").lstrip("?").split(";")]
            if final == "H":
                y, x = max(1, numbers[0]) - 1, (max(1, numbers[1]) if len(numbers) > 1 else 1) - 1
            elif final == "A":
                y -= max(1, numbers[0])
            elif final == "J" and numbers[0] == 2:
                self.cells.clear()
            elif final == "m":
                foreground, background = self.select(numbers, foreground, background)
            elif text == "\r":
                x = 0
            elif text == "\n":
                y += 1
            elif final is None and text[0] >= " ":
                self.cells[x, y] = (text, foreground, background)
                x += 1

    def select(self, numbers, foreground, background):
        rest = list(numbers)
        while rest:
            code = rest.pop(0)
            if code in (0, 39):
                foreground = (229, 229, 229)
            if code in (0, 49):
                background = (0, 0, 0)
            if code in (38, 48):
                kind = rest.pop(0)
                colour = self.colours[rest.pop(0)] if kind == 5 else tuple(rest.pop(0) for _ in range(3))
                foreground, background = (colour, background) if code == 38 else (foreground, colour)
        return foreground, background

    def samples(self, area):
        """Returns the colours of an area, two samples across and two down for each cell."""
        left, top, width, height = area
        rows = []
        for y in range(2 * height):
            for x in range(2 * width):
                text, foreground, background = self.cells.get((left + x // 2, top + y // 2), (" ", (), (0, 0, 0)))
                isForeground = QUARTERS.get(text, 0) >> (x % 2 + y % 2 * 2) & 1
                rows.append(foreground if isForeground else background)
        return rows


def error(samples, photo, width, height):
    """Returns the PSNR in dB of samples against the photograph, scaled to the same size."""
    command = ["ffmpeg", "-v", "error", "-i", photo, "-frames:v", "1", "-vf",
               f"scale={width}:{height}:flags=area,format=rgb24", "-f", "rawvideo", "-"]
    original = subprocess.run(command, capture_output=True, check=True).stdout
    squares = sum((a - b) ** 2 for a, b in zip(original, (value for sample in samples for value in sample)))
    return 10 * math.log10(255 ** 2 * len(original) / max(1, squares))


def photograph():
    """Compares the error of a photograph with timg's at the same size; needs --photo and timg."""
    timg = shutil.which("timg")
    if not options.photo:
        return warnings.append("--photo names no photograph, so that its error was not measured")
    with Terminal(
            swiftplay(options.photo, "--vo=terminal", "--really-quiet", "--image-display-duration=inf"),
            keeps=True) as terminal:
        wait_until_quiet(terminal)
        output = bytes(terminal.output)
    screen = Screen(output)
    drawn = [cell for cell, (text, _, background) in screen.cells.items() if text != " " or background != (0, 0, 0)]
    xs, ys = [x for x, _ in drawn], [y for _, y in drawn]
    area = (min(xs), min(ys), max(xs) - min(xs) + 1, max(ys) - min(ys) + 1)
    width, height = area[2:]
    ours = error(screen.samples(area), options.photo, 2 * width, 2 * height)
    theirs = "not installed"
    if timg:
        values = []
        for kind in "qh":
            command = [timg, f"-g{width}x{height}", f"-p{kind}", "--color8", "--upscale", options.photo]
            with Terminal(command, keeps=True) as terminal:
                terminal.process.wait(20)
                wait_until_quiet(terminal)
                other = Screen(bytes(terminal.output))
            xs, ys = [x for x, _ in other.cells], [y for _, y in other.cells]
            size = (max(xs) + 1, max(ys) + 1)
            values.append(error(other.samples((0, 0, *size)), options.photo, 2 * size[0], 2 * size[1]))
        theirs = f"timg: {values[0]:.1f} with quarter blocks, {values[1]:.1f} with half blocks"
    row(f"photograph of {width}x{height} cells in 256 colours: PSNR, dB", f"{ours:.1f}", theirs)


def wait_until_quiet(terminal):
    """Waits until a program has written nothing for a second."""
    deadline = now() + 20
    while now() < deadline and (not terminal.count or now() - terminal.lastRead < 1):
        time.sleep(0.05)
