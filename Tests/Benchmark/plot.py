"""Plots the level of several programs over time as SVG. scripts/plot-sessions starts this program."""
import sys

out = sys.argv.pop(sys.argv.index("--out") + 1)
sys.argv.remove("--out")
from sessions import *  # noqa: E402: parses the remaining arguments

WIDTH, HEIGHT, LEFT, TOP, FLOOR = 960, 420, 70, 40, -72
COLOURS = ("#1565c0", "#c62828", "#2e7d32")


def draw(name, title, curves, marks, since, until):
    """Writes a plot. `curves` are pairs of label and levels, `marks` are pairs of label and time."""
    def x(t):
        return LEFT + (WIDTH - LEFT - 20) * (t - since) / (until - since)

    def y(db):
        return TOP + (HEIGHT - TOP - 50) * -max(db, FLOOR) / -FLOOR

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/><text x="{LEFT}" y="22" font-size="16">{title}</text>']
    for db in range(0, FLOOR - 1, -12):
        lines.append(f'<line x1="{LEFT}" x2="{WIDTH - 20}" y1="{y(db):.1f}" y2="{y(db):.1f}" stroke="#ddd"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{y(db) + 4:.1f}" text-anchor="end">{db} dB</text>')
    step = 0.5
    for i in range(int((until - since) / step) + 1):
        at = x(since + i * step)
        lines.append(f'<text x="{at:.1f}" y="{HEIGHT - 28}" text-anchor="middle">{i * step:g} s</text>')
    for label, at in marks:
        lines.append(
            f'<line x1="{x(at):.1f}" x2="{x(at):.1f}" y1="{TOP}" y2="{HEIGHT - 50}" '
            'stroke="#888" stroke-dasharray="4 3"/>')
        lines.append(f'<text x="{x(at) + 4:.1f}" y="{TOP + 12}" fill="#555">{label}</text>')
    for (label, levels), colour in zip(curves, COLOURS):
        points = " ".join(f"{x(t):.1f},{y(db):.1f}" for t, db in levels if since <= t <= until)
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
    for i, ((label, _), colour) in enumerate(zip(curves, COLOURS)):
        lines.append(f'<text x="{LEFT + i * 260}" y="{HEIGHT - 8}" fill="{colour}">{label}</text>')
    with open(os.path.join(out, name), "w") as file:
        file.write("\n".join(lines + ["</svg>"]))
    print(os.path.join(out, name))


time.sleep(3)
with SinkRecorder() as recorder, Program(tone(440)):
    time.sleep(1.5)
    begun = now()
    with Program(tone(
            2500, "--audio-mode=voicePrompt", "--audio-session-options=interrupt-spoken,duck", "--end=1.5",
            "--keep-open=no")):
        time.sleep(2.6)
    time.sleep(1.2)
draw("ducking.svg", "A prompt ducks music, recorded at the sink",
     [("music, 440 Hz", recorder.levels(440)), ("prompt, 2500 Hz", recorder.levels(2500))],
     [("prompt starts", begun)], begun - 0.5, begun + 3.5)

with SinkRecorder() as recorder, Program(tone(440)):
    time.sleep(1.5)
    begun = now()
    with Program(tone(1000)):
        time.sleep(1.5)
        ended = now()
    time.sleep(1.5)
draw("interruption.svg", "A film interrupts music until it quits, recorded at the sink",
     [("music, 440 Hz", recorder.levels(440)), ("film, 1000 Hz", recorder.levels(1000))],
     [("film starts", begun), ("film quits", ended)], begun - 0.5, begun + 3)
