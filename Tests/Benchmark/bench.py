"""The measurements of scripts/bench, which starts this program on a private desktop. Uses only the standard library."""
from handover import *
from memory import use_memory
from playback import *
from pressure import kernel_pressure
from sessions import sessions
from terminal import use_terminal

parts = options.only.split(",")
# PulseAudio's null sink starts with a block of 2 s. A stream that starts within this block sees the clock jump once.
time.sleep(3)
if "handoffs" in parts:
    number = 6 if options.quick else 20

    def series(note=""):
        for fps in ("23.976", "30", "60") if options.every else ("30", "60"):
            handoffs(fps, number, note)
        if options.every:
            handoffs("30", number, note, isPaused=True)
            handoffs("30", number, note, seeks=True)

    series()
    if options.load:
        with Busy():
            series(", one core busy")
works = {
    "sync": sync, "start": start, "seek": seek, "decode": decode, "busy": busy, "memory": use_memory, "cpu": use_cpu,
    "copies": copies, "sessions": sessions, "pressure": kernel_pressure,
    "terminal": use_terminal}
for part, work in works.items():
    if part in parts:
        work()

manager = os.environ.get("BENCH_MANAGER") or "no window manager"
print(f"{os.cpu_count()} cores, Linux {platform.release()}, X server Xvfb 1920x1080, {manager}, PulseAudio null sink.")
ffmpeg_version = first_line("ffmpeg", "-version").partition(" Copyright")[0]
mpv_version = "no mpv"
if MPV:
    mpv_version = first_line(MPV, "--version").partition(" Copyright")[0]
    mpv_version += ", run as " + " ".join(mpv("FILE")[1:-1])
print(f"{first_line(os.path.join(options.programs, 'swiftplay'), '--version')}; {ffmpeg_version}; {mpv_version}.")
for warning in warnings:
    print(f"Note: {warning}.")
medians = f"Medians of {RUNS} runs unless a row states otherwise."
print("Quick run: single figures, no medians." if options.quick else medians)
print("\n| | SwiftPlay | mpv | ffplay |\n|---|---|---|---|")
for what, ours, theirs, third in rows:
    print(f"| {what} | {ours} | {theirs} | {third} |")
