"""An HTTP server whose replies may deviate from the protocol, shared by the scripts that test downloads."""
import re
import socketserver
import threading
import time


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Listens on a free port of the loopback interface, and counts what it sends."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, connection, rate=None):
        """`connection` is a subclass of Connection, `rate` the bytes a second that each connection sends at most."""
        super().__init__(("127.0.0.1", 0), connection)
        self.rate, self.lock = rate, threading.Lock()
        self.sent, self.requests = 0, 0
        self.address = "http://127.0.0.1:%d/" % self.server_address[1]

    def start(self):
        """Accepts connections on a thread."""
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """A connection that a killed client has reset is no error."""


class Connection(socketserver.StreamRequestHandler):
    """One connection. Subclasses implement `reply`, which returns whether the connection stays open."""

    timeout = 60

    def handle(self):
        while True:
            request = self.rfile.readline(65536).decode("latin-1").split()
            fields = {}
            while line := self.rfile.readline(65536).decode("latin-1").strip():
                name, _, value = line.partition(":")
                fields[name.lower()] = value.strip()
            if len(request) != 3 or not self.reply(request[0], request[1], fields):
                return

    def wanted_start(self, fields, entity):
        """Returns the first byte of the requested range; None if the whole content is to be sent."""
        wanted = re.fullmatch(r"bytes=(\d+)-\d*", fields.get("range", ""))
        return int(wanted[1]) if wanted and fields.get("if-range", entity) == entity else None

    def head(self, status, **fields):
        """Sends the head of a response. The underscores in the names of the fields stand for hyphens."""
        lines = ["HTTP/1.1 " + status]
        lines += ["%s: %s" % (name.replace("_", "-"), value) for name, value in fields.items()]
        self.wfile.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        return True

    def write(self, data):
        """Sends bytes, at the server's rate if it has one."""
        step = 64 * 1024
        for offset in range(0, len(data), step):
            piece = data[offset:offset + step]
            self.wfile.write(piece)
            with self.server.lock:
                self.server.sent += len(piece)
            if self.server.rate:
                time.sleep(len(piece) / self.server.rate)
        return True
