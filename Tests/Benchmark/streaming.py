#!/usr/bin/env python3
"""Measures streaming over simulated links, and prints Markdown tables.

usage: streaming.py [--players NAME,...] [--runs N] [--only links,oscillation,start,cuts,floating] [--programs DIR]
                    [--plot FILE]

links     Each run plays a stream of 140 s with four variants (2930, 1610, 840 and 345 kb/s, segments of 4 s) in real
          time, without picture and sound output. The link changes its rate: A is 2.0 Mb/s for 30 s, 0.6 for 60 s, then
          2.0; B is 6.0 for 40 s, 0.4 for 20 s, then 6.0. The latency is 40 ms. Run n begins 0, 7, 13, 29 or 41 s into
          the link's course. All runs of one player play at the same time, each over a link of its own.
          Printed are the median and the worst run: the time to the first picture (of players with mpv's IPC), the
          time beyond 140 s (start and stalls), the segments that were complete later than a playback without stalls
          needed them, the mean declared bit rate of the played segments, the number of changes of the variant, and the
          share of the received bytes that was not played. Players: swiftplay, mpv, vlc, gstreamer.
oscillation
          The same values for a stream of 300 s over a link that alternates between 0.9 and 1.1 of the bit rate of the
          largest variant every 8 s; swiftplay only.
start     The time from the start of the program to the first frame in a window, and the requests until then; 20 Mb/s,
          50 ms latency.
cuts      A film over a link of 1.5 times its bit rate that breaks every 20 s, compared with the film on the disk.
floating  Processor time and memory in Picture-in-Picture, of a stream with variants up to 1080p.
"""
import argparse, concurrent.futures, os, statistics, subprocess, tempfile, time

import links
from links import ROOT, SEGMENT

VARIANTS = [("1280x720", "2200k", 2930), ("960x540", "1200k", 1610), ("640x360", "620k", 840), ("320x180", "240k", 345)]
SECONDS = 140
LINKS = {"A": [[30, 2.0], [60, 0.6], [1e6, 2.0]], "B": [[40, 6.0], [20, 0.4], [1e6, 6.0]]}
SHIFTS = [0, 7, 13, 29, 41]
STREAM = ROOT + "/.build/bench/stream"


def shifted(trace, shift):
    """Returns the course of a link from a later start on."""
    rest = []
    for seconds, rate in trace:
        used = min(seconds, shift)
        shift -= used
        if seconds > used: rest.append([seconds - used, rate])
    return rest


def run_once(player, programs, trace, stream=STREAM, seconds=SECONDS):
    """Plays the stream once, and returns the measured values."""
    with tempfile.TemporaryDirectory() as scratch:
        with links.Server(stream, {"trace": trace, "latency": 0.04}, scratch) as server:
            command = links.silent_command(player, programs, server.address + "/stream.m3u8")
            control = None
            if player in ("swiftplay", "mpv"):
                control = scratch + "/ipc"
                command.append("--input-ipc-server=" + control)
            wall, first = links.play(command, control)
        return dict(values(wall, first, seconds, server.requests()), trace=trace)


def values(wall, first_picture, duration, rows):
    """Returns the measured values of a run. If a segment was fetched several times, the last fetched copy counts as
    played."""
    segments = [row for row in rows if row["path"].endswith(".ts")]
    last = {}
    for row in segments:
        if row["sent"] == row.get("asked"): last[row["path"].split("list")[1]] = row
    played = sorted(last.values(), key=lambda row: int(row["path"].split("list")[1][:-3]))
    rates = [int(row["path"].split("/")[1]) for row in played]
    received = sum(row["sent"] for row in segments)
    first = min(row["end"] for row in played)
    late, delay = 0, 0
    for number, row in enumerate(played):
        missing = row["end"] - (first + number * SEGMENT + delay)
        if missing > 0: late, delay = late + 1, delay + missing
    return {
        "first": first_picture, "extra": wall - duration, "late": late, "rate": statistics.mean(rates),
        "switches": sum(a != b for a, b in zip(rates, rates[1:])),
        "wasted": 100 * (received - sum(row["sent"] for row in played)) / max(1, received), "played": played}


def plot(shown, file):
    """Draws the first run of each link and player: the rate of the link, the variant of each request and the end of the
    completely fetched media, over the time of the requests."""
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


def cell(runs, key, digits, worst=max):
    """Returns the median and the worst of a value; a dash if it was not measured."""
    all = [run[key] for run in runs]
    if None in all: return "–"
    return f"{statistics.median(all):.{digits}f} ({worst(all):.{digits}f})"


HEAD = ("| link | player | first picture, s | extra, s | late segments | mean kb/s | switches | not played, % |\n"
        "|---|---|---|---|---|---|---|---|")


def row(link, player, runs):
    """Returns the line of a table."""
    return " | ".join(
        ["| " + link, player, cell(runs, "first", 2), cell(runs, "extra", 2), cell(runs, "late", 0),
         cell(runs, "rate", 0, min), cell(runs, "switches", 0), cell(runs, "wasted", 1) + " |"])


def measure_links(arguments):
    links.make_stream(STREAM, VARIANTS, SECONDS)
    print(HEAD)
    shown = {}
    for player in arguments.players.split(","):
        shifts = SHIFTS[:arguments.runs]
        with concurrent.futures.ThreadPoolExecutor(len(LINKS) * len(shifts)) as pool:
            waiting = {
                link: [pool.submit(run_once, player, arguments.programs, shifted(trace, shift)) for shift in shifts]
                for link, trace in LINKS.items()}
        for link, results in waiting.items():
            runs = [result.result() for result in results]
            shown[link, player] = runs[0]
            print(row(link, player, runs), flush=True)
    if arguments.plot: plot(shown, arguments.plot)


def measure_oscillation(arguments):
    stream, seconds, need = ROOT + "/.build/bench/stream-300", 300, VARIANTS[0][2] / 1000
    links.make_stream(stream, VARIANTS, seconds)
    trace = [[8, need * 0.9], [8, need * 1.1]] * 40
    with concurrent.futures.ThreadPoolExecutor(arguments.runs) as pool:
        waiting = [
            pool.submit(run_once, "swiftplay", arguments.programs, shifted(trace, shift), stream, seconds)
            for shift in range(arguments.runs)]
    print(HEAD)
    print(row("oscillation", "swiftplay", [result.result() for result in waiting]), flush=True)


def window_command(player, programs, scratch, *options):
    """Returns the command line of a player with a window and a remote control."""
    own = {"swiftplay": [programs + "/swiftplay"],
           "mpv": ["mpv", "--no-config", "--vo=x11", "--no-terminal"]}[player]
    return own + ["--ao=null", f"--input-ipc-server={scratch}/ipc", *options]


def measure_start(arguments):
    links.make_stream(STREAM, VARIANTS, SECONDS)
    print("| player | first frame after the start of the program, ms | requests until then |\n|---|---|---|")
    for player in ("swiftplay", "mpv"):
        runs = []
        for _ in range(arguments.runs):
            with tempfile.TemporaryDirectory() as scratch:
                with links.Server(STREAM, {"rate": 20, "latency": 0.05}, scratch) as server:
                    began = time.monotonic()
                    process = subprocess.Popen(
                        window_command(player, arguments.programs, scratch, server.address + "/stream.m3u8"))
                    links.Events(scratch + "/ipc").wait_for("playback-restart")
                    time_to_frame = time.monotonic() - began
                    requests = len(server.requests())
                    process.terminate()
                    process.wait()
                runs.append({"time": 1000 * time_to_frame, "requests": requests})
        print(f"| {player} | {cell(runs, 'time', 0)} | {cell(runs, 'requests', 0)} |", flush=True)


def measure_cuts(arguments):
    folder = ROOT + "/.build/bench/film"
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(folder + "/film.mp4"):
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25:duration=90", "-f",
             "lavfi", "-i", "sine=frequency=440:duration=90", "-c:v", "libx264", "-preset", "ultrafast", "-b:v", "2M",
             "-maxrate", "2M", "-bufsize", "2M", "-movflags", "faststart", folder + "/film.mp4"], check=True)
    rate = os.path.getsize(folder + "/film.mp4") * 8 / 90 / 1e6 * 1.5
    with tempfile.TemporaryDirectory() as scratch:
        with links.Server(folder, {"rate": rate, "cutEvery": 20, "latency": 0.04}, scratch) as server:
            sums, extra = [], 0
            for name, film, more in (
                    ("remote", server.address + "/film.mp4", []), ("disk", folder + "/film.mp4", ["--untimed"])):
                seconds, _ = links.play(
                    links.silent_command("swiftplay", arguments.programs, film)
                    + [f"--frame-checksums={scratch}/{name}", *more])
                if name == "remote": extra = seconds - 90
                with open(f"{scratch}/{name}") as file: sums.append(file.read())
        requests = len(server.requests())
    equal = "equal to" if sums[0] == sums[1] else "DIFFERENT FROM"
    print(f"A film of 90 s over {rate:.1f} Mb/s, cut every 20 s: {requests} requests, {extra:.2f} s longer than the "
          f"film (start and stalls), {len(sums[0].splitlines())} checksums of frames {equal} those of the file on "
          "the disk.")


def measure_floating(arguments):
    folder = ROOT + "/.build/bench/stream-1080p"
    # The video contains noise, so that the encoder needs as many bits as for a film.
    variants = [("1920x1080", "5000k", 6000), *VARIANTS]
    links.make_stream(folder, variants, 60, "veryfast", "noise=alls=12:allf=t")
    runs = {"swiftplay": [], "mpv": []}
    for _ in range(arguments.runs):
        for player, options in (("swiftplay", ["--pip"]), ("mpv", ["--geometry=480x270"])):
            with tempfile.TemporaryDirectory() as scratch, links.Server(folder, {"rate": 50}, scratch) as server:
                process = subprocess.Popen(window_command(
                    player, arguments.programs, scratch, *options, server.address + "/stream.m3u8"))
                time.sleep(25)
                all = [process.pid] + ([links.compositor()] if player == "swiftplay" else [])
                before = sum(map(links.cpu_seconds, all))
                time.sleep(20)
                runs[player].append({
                    "cpu": sum(map(links.cpu_seconds, all)) - before, "memory": sum(map(links.memory, all))})
                process.terminate()
                process.wait()
    print("| player in 480x270 | processor time in 20 s, s | memory (PSS), MB |\n|---|---|---|")
    for player, all in runs.items():
        print(f"| {player} | {cell(all, 'cpu', 2)} | {cell(all, 'memory', 1)} |")
    ratios = [statistics.median(run[key] for run in runs["swiftplay"])
              / statistics.median(run[key] for run in runs["mpv"]) for key in ("cpu", "memory")]
    print(f"| ratio | {ratios[0]:.2f} | {ratios[1]:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", default="swiftplay,mpv")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="links,oscillation,start,cuts,floating")
    parser.add_argument("--programs", default=ROOT + "/.build/release")
    parser.add_argument("--plot")
    arguments = parser.parse_args()
    measures = {
        "links": measure_links, "oscillation": measure_oscillation, "start": measure_start, "cuts": measure_cuts,
        "floating": measure_floating}
    for name in arguments.only.split(","):
        measures[name](arguments)
        print()


if __name__ == "__main__": main()
