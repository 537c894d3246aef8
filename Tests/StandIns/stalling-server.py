#!/usr/bin/env python3
"""Serves FILE over HTTP on a loopback address, but only its first LIMIT bytes until it receives SIGUSR1.

usage: stalling-server.py FILE LIMIT

Prints "port N" when the server listens. The server supports ranges. For a range beyond LIMIT it sends the headers and
then waits.
"""
import http.server
import os
import re
import signal
import sys
import threading

path, limit = sys.argv[1], int(sys.argv[2])
size = os.path.getsize(path)
flows = threading.Event()
signal.signal(signal.SIGUSR1, lambda *_: flows.set())


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        start = int(wanted[1]) if wanted else 0
        end = min(size, int(wanted[2]) + 1) if wanted and wanted[2] else size
        self.send_response(206 if wanted else 200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(end - start))
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{size}")
        self.end_headers()
        with open(path, "rb") as file:
            file.seek(start)
            while start < end:
                if start >= limit:
                    self.wfile.flush()
                    flows.wait()
                piece = file.read(min(65536, end - start if start >= limit else min(end, limit) - start))
                try:
                    self.wfile.write(piece)
                except OSError:
                    return
                start += len(piece)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(f"port {server.server_address[1]}", flush=True)
server.serve_forever()
