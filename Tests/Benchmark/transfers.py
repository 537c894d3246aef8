"""Measures swiftplay-transfer and curl with one file from nginx; scripts/bench-transfers describes the options.

Plays the role of the ledger: starts the engine with a socket as descriptor 3, sends one order with an open part file,
and waits for the end.
"""
import argparse
import os
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

PROTOCOL_VERSION = 3
MESSAGE_BYTES = 65536
HELLO, START = 1, 2
PROGRESS, FINISHED, FAILED = 4, 8, 9


def text(value):
    data = value.encode()
    return struct.pack("<I", len(data)) + data


def hello():
    """Returns the first message, as EngineCommand.hello encodes it. BenchmarkMessagesTests decodes both messages."""
    return struct.pack("<BH", HELLO, PROTOCOL_VERSION)


def order(transfer, address):
    """Returns an order for an empty part file, as EngineCommand.start encodes it."""
    request = text(address) + text("GET") + struct.pack("<B?", 0, True)
    held = struct.pack("<q?", 0, False) + bytes(3) + bytes(1)
    limits = struct.pack("<IIIQq", 1024, 60000, 30000, 0, 0)
    return struct.pack("<BQ", START, transfer) + request + held + limits + struct.pack("<B?B?", 0, False, 1, False)


class Server:
    """nginx with one file."""

    def __init__(self, folder, megabytes):
        if not (nginx := shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")):
            sys.exit("nginx is missing: install the package nginx-light")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        block = os.urandom(1 << 20)
        with open(f"{folder}/file", "wb") as file:
            for _ in range(megabytes):
                file.write(block)
        os.chmod(folder, 0o755)
        user = "user root;" if os.getuid() == 0 else ""
        with open(f"{folder}/nginx.conf", "w") as file:
            file.write(f"""{user} daemon off; pid {folder}/pid; error_log {folder}/error.log; worker_processes 1;
                events {{}}
                http {{ access_log off; sendfile on; tcp_nopush on;
                    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
                    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
                    scgi_temp_path {folder}/scgi;
                    server {{ listen 127.0.0.1:{port}; root {folder}; }} }}""")
        self.address = f"http://127.0.0.1:{port}/file"
        self.process = subprocess.Popen([nginx, "-p", folder, "-c", f"{folder}/nginx.conf"])
        deadline = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                if time.monotonic() > deadline:
                    sys.exit("nginx does not start")
                time.sleep(0.01)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def cpu(usage):
    return usage.ru_utime + usage.ru_stime


def synchronize(path):
    """Writes a file to the disk; returns the time that this took."""
    start = time.monotonic()
    descriptor = os.open(path, os.O_RDWR)
    os.fdatasync(descriptor)
    os.close(descriptor)
    return time.monotonic() - start


def measure_curl(address, path):
    start = time.monotonic()
    process = subprocess.Popen(["curl", "--silent", "--fail", "--output", path, address])
    _, status, usage = os.wait4(process.pid, 0)
    received = time.monotonic() - start
    if status:
        sys.exit("curl fails")
    return {"received": received, "durable": received + synchronize(path), "cpu": cpu(usage)}


def measure_engine(program, address, path, size):
    start = time.monotonic()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    actions = [(os.POSIX_SPAWN_DUP2, theirs.fileno(), 3)]
    process = os.posix_spawn(program, [program], os.environ, file_actions=actions)
    theirs.close()
    part = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    ours.send(hello())
    socket.send_fds(ours, [order(1, address)], [part])
    received = None
    while True:
        message = ours.recv(MESSAGE_BYTES)
        now = time.monotonic() - start
        if not message or message[0] == FAILED:
            sys.exit(f"the engine fails: {message}")
        if message[0] == PROGRESS and struct.unpack_from("<q", message, 9)[0] == size:
            received = now
        if message[0] == FINISHED:
            break
    with open(f"/proc/{process}/status") as file:
        memory = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    ours.close()
    _, status, usage = os.wait4(process, 0)
    if status or os.fstat(part).st_size != size:
        sys.exit("the engine exits with an error, or the file is not whole")
    os.close(part)
    return {"received": received or now, "durable": now, "cpu": cpu(usage), "memory": memory / 1024}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--engine", required=True)
    options = parser.parse_args()
    size = options.megabytes << 20
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, options.megabytes)
        results = {"curl": [], "engine": []}
        try:
            for run in range(options.runs):
                for name in ["curl", "engine"] if run % 2 == 0 else ["engine", "curl"]:
                    path = f"{folder}/part"
                    os.sync()
                    if name == "curl":
                        results[name].append(measure_curl(server.address, path))
                    else:
                        results[name].append(measure_engine(options.engine, server.address, path, size))
                    os.remove(path)
        finally:
            server.stop()
    medians = {
        name: {key: statistics.median(run[key] for run in runs) for key in runs[0]} for name, runs in results.items()
    }
    curl, engine = medians["curl"], medians["engine"]
    print(f"{options.megabytes} MiB from nginx, median of {options.runs} runs in turn\n")
    print("| | received and closed | on the disk | processor time | memory |")
    print("|---|---|---|---|---|")
    print(f"| curl | {curl['received']:.2f} s | {curl['durable']:.2f} s | {curl['cpu']:.2f} s | – |")
    print(f"| engine | – | {engine['durable']:.2f} s | {engine['cpu']:.2f} s | {engine['memory']:.1f} MB |")
    print()
    print(f"throughput of the engine, on the disk, over curl without disk: {curl['received'] / engine['durable']:.2f}")
    print(f"throughput of the engine over curl, both on the disk: {curl['durable'] / engine['durable']:.2f}")
    print(f"processor time of the engine over curl: {engine['cpu'] / curl['cpu']:.2f}")


if __name__ == "__main__":
    main()
