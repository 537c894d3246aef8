#!/usr/bin/env python3
"""Plays a live stream for some minutes, and checks the load on the server, stalls and memory.

usage: live.py [--seconds N] [--programs DIR]

The stream has the variants of streaming.py in segments of 4 s. Its playlists show 6 segments and slide on in real time;
the link has 8 Mb/s and a latency of 40 ms. swiftplay plays without picture and sound output.

Prints a Markdown table: the loads of media playlists per second, the requests for each new segment, the stalls, how
much the memory (PSS) grew after the first minute, and the distance from the end of the playlist. Fails unless there are
0.25 to 0.5 loads per second, at most 1.1 requests for each segment, no stalls, at most 2 MB of growth, and a distance
of 6 to 16 s from the end of the playlist as last loaded.
"""
import argparse, statistics, subprocess, sys, tempfile, time

import links
from streaming import SECONDS, STREAM, VARIANTS

WARM_UP, SAMPLES = 60, 20


def play(seconds, programs, scratch):
    """Plays the stream, and returns the samples and the server's log."""
    settings = {"rate": 8, "latency": 0.04, "live": {
        "list": [f"{rate}/list.m3u8" for _, _, rate in VARIANTS], "window": 6, "start": 6, "loop": True}}
    with links.Server(STREAM, settings, scratch) as server:
        command = links.silent_command("swiftplay", programs, server.address + "/stream.m3u8")
        player = subprocess.Popen(
            command + [f"--input-ipc-server={scratch}/ipc"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            return *sample(seconds, player, links.Events(scratch + "/ipc")), server
        finally:
            player.terminate()
            player.wait()


def sample(seconds, player, control):
    """Returns the number of stalls, the player's memory in MB, and its distances from the end of the playlist in
    seconds."""
    began, stalls, isStalled, sizes, distances = time.monotonic(), 0, False, [], []
    while (elapsed := time.monotonic() - began) < seconds:
        time.sleep(0.1)
        if (isWaiting := control.get("paused-for-cache") is True) and not isStalled: stalls += 1
        isStalled = isWaiting
        if elapsed >= WARM_UP + len(sizes) * (seconds - WARM_UP) / SAMPLES:
            sizes.append(links.memory(player.pid))
            ranges = (control.get("demuxer-cache-state") or {}).get("seekable-ranges")
            position = control.get("time-pos")
            # The player's seekable range ends three target durations before the end of the playlist.
            if ranges and position is not None: distances.append(ranges[0]["end"] + 3 * links.SEGMENT - position)
    return stalls, sizes, distances


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--programs", default=links.ROOT + "/.build/release")
    arguments = parser.parse_args()
    seconds = max(arguments.seconds, 2 * WARM_UP)
    links.make_stream(STREAM, VARIANTS, SECONDS)
    with tempfile.TemporaryDirectory() as scratch:
        stalls, sizes, distances, server = play(seconds, arguments.programs, scratch)
        rows = server.requests()
    steady = [row for row in rows if 20 <= row["start"] <= seconds]
    loads = sum(row["path"].endswith("list.m3u8") for row in steady) / (seconds - 20)
    requests = sum(row["path"].endswith(".ts") for row in steady) / ((seconds - 20) / links.SEGMENT)
    growth = statistics.median(sizes[-5:]) - statistics.median(sizes[:5])
    print("| live, s | playlist loads per s | requests per segment | stalls | growth, MB | distance from the end, s |")
    print("|---|---|---|---|---|---|")
    print(f"| {seconds} | {loads:.2f} | {requests:.2f} | {stalls} | {growth:.1f} of {sizes[0]:.0f} | "
          f"{min(distances):.1f} to {max(distances):.1f} |")
    isGood = 0.25 <= loads <= 0.5 and requests <= 1.1 and stalls == 0 and growth <= 2
    if isGood and 6 <= min(distances) and max(distances) <= 16: return
    sys.exit("live: a value is out of its limits; sizes in MB: " + " ".join(f"{size:.1f}" for size in sizes))


if __name__ == "__main__": main()
