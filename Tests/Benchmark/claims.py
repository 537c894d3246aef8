"""Clients without audio output that activate audio sessions through the compositor's protocol."""
import contextlib
import fcntl
import struct

from rig import *

CATEGORIES = {"ambient": 0, "soloAmbient": 1, "playback": 2}
MODES = {"default": 0, "moviePlayback": 1, "spokenAudio": 2, "voicePrompt": 3}
DUCKS = 0x11 | 0x02
# The compositor's limit for the connections of one process.
CONNECTIONS_PER_PROCESS = 8


def connect():
    """Returns a new connection to the compositor."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.settimeout(5)
    connection.connect(os.path.join(os.environ["XDG_RUNTIME_DIR"], "swiftplay", "compositor"))
    return connection


@contextlib.contextmanager
def connections(count):
    """Opens connections from several processes, because the compositor limits the connections of one process."""
    made, channels = [], []
    try:
        while len(made) < count:
            number = min(CONNECTIONS_PER_PROCESS, count - len(made))
            ours, theirs = socket.socketpair()
            if os.fork() == 0:
                ours.close()
                own = [connect() for _ in range(number)]
                socket.send_fds(theirs, [b" "], [connection.fileno() for connection in own])
                # The process exits when the other end is closed.
                theirs.recv(1)
                os._exit(0)
            theirs.close()
            channels.append(ours)
            made += [socket.socket(fileno=descriptor) for descriptor in socket.recv_fds(ours, 1, number)[1]]
        yield made
    finally:
        for connection in made + channels: connection.close()
        for _ in channels: os.wait()


class Claimant:
    """A client without audio output that has any number of audio sessions."""

    def __init__(self, numbers=(1,), connection=None):
        self.socket = connection or connect()
        self.socket.settimeout(5)
        name = b"bench"
        self.socket.send(struct.pack("<BHHH", 1, 6, 2, len(name)) + name)
        while self.socket.recv(8192)[0] != 1:
            pass
        for number in numbers:
            page = os.memfd_create("page", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            os.ftruncate(page, 4096)
            fcntl.fcntl(page, 1033, 2 | 4)  # F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW
            socket.send_fds(self.socket, [self.message(number, struct.pack("<BB", 1, 1))], [page])
            os.close(page)

    @staticmethod
    def message(number, request):
        return struct.pack("<BI", 18, number) + request

    def request(self, number, request):
        """Sends a request, and returns the seconds until the reply and the kind of the reply."""
        began = now()
        self.socket.send(self.message(number, request))
        while True:
            reply = self.socket.recv(8192)
            if reply[0] == 14 and reply[5] in (1, 2, 3) and struct.unpack_from("<I", reply, 1)[0] == number:
                return now() - began, reply[5]

    def configure(self, number, category, mode="default", options=0):
        return self.request(number, struct.pack("<BBBI", 2, CATEGORIES[category], MODES[mode], options))

    def activate(self, number=1):
        return self.request(number, struct.pack("<BB", 3, 0))

    def deactivate(self, number=1):
        return self.request(number, struct.pack("<BB", 4, 1))

    def close(self):
        self.socket.close()
