#!/usr/bin/env python3
"""Serves FILE over HTTP with chunked transfer coding (RFC 9112, section 7.1), without a length and without ranges.

usage: chunked-server.py FILE PART

PART is the fraction of the file, 0 to 1, after which the server closes the connection in the middle of a chunk. With 1,
the server sends the whole file and the last chunk. If a request has the header "Connection: close", the response has it
too, as with nginx and Apache. Prints "port N" when the server listens.
"""
import http.server
import sys

data, part = open(sys.argv[1], "rb").read(), float(sys.argv[2])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        if self.headers.get("Connection", "").lower() == "close":
            self.send_header("Connection", "close")
        self.end_headers()
        end = int(len(data) * part)
        try:
            for start in range(0, end, 65536):
                piece = data[start:start + 65536]
                self.wfile.write(b"%x\r\n" % len(piece))
                if start + len(piece) > end:
                    self.wfile.write(piece[:end - start])
                    break
                self.wfile.write(piece + b"\r\n")
            else:
                if part == 1:
                    self.wfile.write(b"0\r\n\r\n")
        except OSError:
            pass
        if part < 1:
            self.close_connection = True

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(f"port {server.server_address[1]}", flush=True)
server.serve_forever()
