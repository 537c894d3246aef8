"""Lists the functions that run during playback, for scripts/list-hot-functions, which starts this program on a private
desktop. Uses only the standard library.

usage: hot-functions.py FOLDER_OF_PROGRAMS OUTPUT"""
import collections
import contextlib
import functools
import http.server
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PROGRAMS, OUTPUT = sys.argv[1:3]
# The time for which the called functions are recorded, in seconds. Timers of the programs have intervals up to 10 s.
RECORDING = 30
# The time in which a program starts under Valgrind, in seconds.
START_TIMEOUT = 90


def valgrind(report, program, *arguments):
    """Starts a program that records no functions yet."""
    return subprocess.Popen(
        ["valgrind", "--log-file=/dev/null", "--tool=callgrind", "--demangle=no", "--instr-atstart=no",
         f"--callgrind-out-file={report}", os.path.join(PROGRAMS, program), *arguments])


def record(process, is_on):
    """Begins or ends the recording of called functions."""
    subprocess.run(
        ["callgrind_control", "-i", "on" if is_on else "off", str(process.pid)], check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def functions(report, program):
    """Returns the functions of `program` in a report of Callgrind, in which the first use of a name defines a number
    for it."""
    files, names, called, file = {}, {}, set(), ""
    with open(report) as lines:
        for line in lines:
            if match := re.match(r"(c?)ob=\((\d+)\)(?: (.*))?", line):
                if match[3]:
                    files[match[2]] = match[3]
                if not match[1]:
                    file = files[match[2]]
            elif match := re.match(r"(c?)fn=\((\d+)\)(?: (.*))?", line):
                if match[3]:
                    names[match[2]] = match[3]
                if not match[1] and os.path.basename(file) == program:
                    # Callgrind marks recursive calls with an apostrophe and a number.
                    called.add(names[match[2]].split("'")[0])
    return called


def ask(path, *command):
    """Returns the player's answer to a command."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(path)
        connection.sendall(json.dumps({"command": command, "request_id": 7}).encode() + b"\n")
        for line in connection.makefile():
            answer = json.loads(line)
            if answer.get("request_id") == 7:
                return answer.get("data")


def play(folder, file, arguments, compositor, calls):
    """Plays a file, and adds the functions of the player to `calls`."""
    report, control = os.path.join(folder, "player.out"), os.path.join(folder, "control")
    player = valgrind(report, "swiftplay", file, f"--input-ipc-server={control}", *arguments)
    try:
        deadline = time.monotonic() + START_TIMEOUT
        while True:
            with contextlib.suppress(OSError):
                if (ask(control, "get_property", "time-pos") or 0) > 0.5 and (
                        not arguments or ask(control, "get_property", "picture-in-picture")):
                    break
            if time.monotonic() > deadline or player.poll() is not None:
                sys.exit(f"hot-functions: {file} is not played")
            time.sleep(0.5)
        for process in (player, compositor):
            record(process, True)
        time.sleep(RECORDING)
        for process in (player, compositor):
            record(process, False)
    finally:
        player.send_signal(signal.SIGTERM)
        player.wait(30)
    calls.update(functions(report, "swiftplay"))


def make_media(folder):
    """Makes a film and a stream of it in `folder`. Both are small because Valgrind slows decoding down."""
    source = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=12:duration=300", "-f", "lavfi",
              "-i", "sine=duration=300", "-c:v", "libx264", "-preset", "veryfast", "-g", "24", "-c:a", "aac"]
    film, stream = os.path.join(folder, "film.mp4"), os.path.join(folder, "stream.m3u8")
    subprocess.run([*source, film], check=True)
    subprocess.run(
        ["ffmpeg", "-v", "error", "-i", film, "-c", "copy", "-hls_time", "4", "-hls_list_size", "0", stream],
        check=True)
    return film


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *arguments): pass


with tempfile.TemporaryDirectory() as folder:
    film, calls = make_media(folder), collections.Counter()
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(QuietHandler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    stream = f"http://127.0.0.1:{server.server_port}/stream.m3u8"
    report = os.path.join(folder, "compositor.out")
    compositor = valgrind(report, "swiftplay-compositor", "--idle-timeout", "0")
    try:
        socket_file = os.path.join(os.environ["XDG_RUNTIME_DIR"], "swiftplay/compositor")
        deadline = time.monotonic() + START_TIMEOUT
        while not os.path.exists(socket_file):
            if time.monotonic() > deadline or compositor.poll() is not None:
                sys.exit("hot-functions: the compositor does not start")
            time.sleep(0.2)
        for file, arguments in ((film, ["--pip"]), (stream, ["--pip"]), (film, [])):
            play(folder, file, arguments, compositor, calls)
    finally:
        compositor.send_signal(signal.SIGTERM)
        compositor.wait(30)
    calls.update(functions(report, "swiftplay-compositor"))
    server.shutdown()
    with open(OUTPUT, "w") as output:
        # Functions that are called in most cases come first.
        for name, _ in sorted(calls.items(), key=lambda item: (-item[1], item[0])):
            output.write(name + "\n")
    print(f"{len(calls)} functions")
