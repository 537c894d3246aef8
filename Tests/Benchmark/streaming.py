#!/usr/bin/env python3
"""Measures adaptive streaming over simulated links, by the requests that the server receives.

usage: streaming.py [--players NAME,...] [--runs N] [--links A,B] [--programs DIR] [--plot FILE]

Each run plays a stream of 140 s with four variants (2930, 1610, 840 and 345 kb/s, segments of 4 s) in real time,
without picture and sound output. The link changes its rate: A is 2.0 Mb/s for 30 s, 0.6 for 60 s, then 2.0; B is 6.0
for 40 s, 0.4 for 20 s, then 6.0. The latency is 40 ms. Run n begins 0, 7, 13, 29 or 41 s into the link's course.

Prints a Markdown table with the median and the worst run of each player: the time to the first whole segment, the time
beyond 140 s (start and stalls), the mean declared bit rate of the played segments, the number of changes of the
variant, and the bytes that were received but not played. Players: swiftplay, mpv, ffplay, vlc.
"""
import argparse, json, os, statistics, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VARIANTS = [("1280x720", "2200k", 2930), ("960x540", "1200k", 1610), ("640x360", "620k", 840), ("320x180", "240k", 345)]
SECONDS, SEGMENT = 140, 4
LINKS = {"A": [[30, 2.0], [60, 0.6], [1e6, 2.0]], "B": [[40, 6.0], [20, 0.4], [1e6, 6.0]]}
SHIFTS = [0, 7, 13, 29, 41]


def make_stream(folder):
    """Makes the stream in a folder, unless it is there."""
    if os.path.exists(folder + "/stream.m3u8"): return
    lines = ["#EXTM3U"]
    for size, rate, declared in VARIANTS:
        os.makedirs(f"{folder}/{declared}", exist_ok=True)
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=size={size}:rate=25:duration={SECONDS}",
             "-f", "lavfi", "-i", f"sine=frequency=440:duration={SECONDS}", "-c:v", "libx264", "-preset", "ultrafast",
             "-b:v", rate, "-maxrate", rate, "-bufsize", rate, "-g", "100", "-keyint_min", "100", "-sc_threshold", "0",
             "-c:a", "aac", "-b:a", "64k", "-f", "hls", "-hls_time", str(SEGMENT), "-hls_list_size", "0",
             "-hls_playlist_type", "vod", f"{folder}/{declared}/list.m3u8"], check=True)
        lines.append(f'#EXT-X-STREAM-INF:BANDWIDTH={declared * 1000},RESOLUTION={size},CODECS="avc1.640020,mp4a.40.2"')
        lines.append(f"{declared}/list.m3u8")
    with open(folder + "/stream.m3u8", "w") as file: file.write("\n".join(lines) + "\n")


def command(player, programs, address):
    """Returns the command line of a player that shows and plays nothing."""
    return {
        "swiftplay": [programs + "/swiftplay", "--vo=null", "--ao=null", address],
        "mpv": ["mpv", "--no-config", "--vo=null", "--ao=null", "--really-quiet", address],
        "ffplay": ["ffplay", "-v", "error", "-nodisp", "-an", "-autoexit", address],
        "vlc": ["cvlc", "--no-video", "--aout=dummy", "--play-and-exit", "--quiet", address],
    }[player]


def shifted(trace, shift):
    """Returns the course of a link from a later start on."""
    rest = []
    for seconds, rate in trace:
        used = min(seconds, shift)
        shift -= used
        if seconds > used: rest.append([seconds - used, rate])
    return rest


def run_once(player, programs, folder, trace, scratch):
    """Plays the stream once, and returns the measured values."""
    with open(scratch + "/log", "w") as log:
        server = subprocess.Popen(
            [sys.executable, ROOT + "/Tests/StandIns/link-server.py", folder,
             json.dumps({"trace": trace, "latency": 0.04})], stdout=subprocess.PIPE, stderr=log, text=True)
    port = server.stdout.readline().split()[1]
    environment = dict(os.environ, SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy")
    began = time.monotonic()
    subprocess.run(
        command(player, programs, f"http://127.0.0.1:{port}/stream.m3u8"), env=environment, timeout=900,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = time.monotonic() - began
    server.terminate()
    server.wait()
    with open(scratch + "/log") as log: rows = [json.loads(line) for line in log if line.startswith("{")]
    return dict(values(wall, rows), trace=trace)


def values(wall, rows):
    """Returns the values of a run. Of a segment that was fetched several times, the last one was played."""
    segments = [row for row in rows if row["path"].endswith(".ts")]
    last = {}
    for row in segments:
        if row["sent"] == row.get("asked"): last[row["path"].split("list")[1]] = row
    played = sorted(last.values(), key=lambda row: int(row["path"].split("list")[1][:-3]))
    rates = [int(row["path"].split("/")[1]) for row in played]
    wasted = sum(row["sent"] for row in segments) - sum(row["sent"] for row in played)
    whole = [row["end"] for row in segments if row["sent"] == row.get("asked")]
    return {
        "first": min(whole), "extra": wall - SECONDS, "rate": statistics.mean(rates),
        "switches": sum(a != b for a, b in zip(rates, rates[1:])),
        "wasted": 100 * wasted / max(1, sum(row["sent"] for row in segments)), "played": played}


def plot(shown, file):
    """Draws the first run of each link and player: the rate of the link, and the variant and the end of what was
    fetched completely, over the time of the requests."""
    width, height, left, span = 900, 150, 60, 240
    parts, y = [], 20
    for (link, player), run in shown.items():
        def x(seconds): return left + (width - left - 10) * min(seconds, span) / span
        def up(rate): return y + height - 30 - (height - 50) * min(rate, 6) / 6
        parts.append(f'<text x="{left}" y="{y}">{player}, link {link}: link (grey), variant (blue) in Mb/s; seconds '
                     'fetched ahead of the time since the start, /10 (red)</text>')
        link_points, at = [], 0
        for seconds, rate in run["trace"]:
            link_points += [(at, rate), (min(at + seconds, span), rate)]
            at += seconds
        variant = [(row["start"], int(row["path"].split("/")[1]) / 1000) for row in run["played"]]
        ahead = [(row["end"], max(0, (n + 1) * SEGMENT - row["end"]) / 10) for n, row in enumerate(run["played"])]
        for points, colour in ((link_points, "#999"), (variant, "#1565c0"), (ahead, "#c62828")):
            line = " ".join(f"{x(t):.1f},{up(v):.1f}" for t, v in points)
            parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for rate in (0, 2, 4, 6): parts.append(f'<text x="{left - 25}" y="{up(rate) + 4:.0f}">{rate}</text>')
        y += height
    with open(file, "w") as out:
        out.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" font-family="sans-serif" '
                  'font-size="13"><rect width="100%" height="100%" fill="white"/>' + "".join(parts) + "</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", default="swiftplay,mpv")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--links", default="A,B")
    parser.add_argument("--programs", default=ROOT + "/.build/release")
    parser.add_argument("--plot")
    arguments = parser.parse_args()
    folder = ROOT + "/.build/bench/stream"
    make_stream(folder)
    print("| link | player | first segment, s | extra, s | mean kb/s | switches | not played, % |")
    print("|---|---|---|---|---|---|---|")
    shown = {}
    for link in arguments.links.split(","):
        for player in arguments.players.split(","):
            runs = []
            for shift in SHIFTS[:arguments.runs]:
                with tempfile.TemporaryDirectory() as scratch:
                    runs.append(run_once(player, arguments.programs, folder, shifted(LINKS[link], shift), scratch))
            shown[link, player] = runs[0]
            def cell(key, digits, worst):
                all = [run[key] for run in runs]
                return f"{statistics.median(all):.{digits}f} ({worst(all):.{digits}f})"
            print(f"| {link} | {player} | {cell('first', 2, max)} | {cell('extra', 2, max)} | {cell('rate', 0, min)} | "
                  f"{cell('switches', 0, max)} | {cell('wasted', 1, max)} |", flush=True)
    if arguments.plot: plot(shown, arguments.plot)


if __name__ == "__main__": main()
