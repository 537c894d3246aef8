"""Programs without sound that claim audio sessions of the compositor, by its protocol."""
import contextlib
import fcntl
import struct

from rig import *

CATEGORIES = {"ambient": 0, "soloAmbient": 1, "playback": 2}
MODES = {"default": 0, "moviePlayback": 1, "spokenAudio": 2, "voicePrompt": 3}
DUCKS = 0x11 | 0x02


CONNECTIONS_OF_A_PROCESS = 8


def connect():
    """Returns a new connection to the compositor."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.settimeout(5)
    connection.connect(os.path.join(os.environ["XDG_RUNTIME_DIR"], "swiftplay", "compositor"))
    return connection


@contextlib.contextmanager
def connections(count):
    """Connections of several processes, since the compositor limits those of one process."""
    made, channels = [], []
    try:
        while len(made) < count:
            number = min(CONNECTIONS_OF_A_PROCESS, count - len(made))
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
        for one in made + channels: one.close()
        for _ in channels: os.wait()


class Claimant:
    """A program without sound: it speaks the protocol, with any number of audio sessions."""

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
            fcntl.fcntl(page, 1033, 2 | 4)  # F_ADD_SEALS: neither shrinks nor grows
            socket.send_fds(self.socket, [self.message(number, struct.pack("<BB", 1, 1))], [page])
            os.close(page)

    @staticmethod
    def message(number, request):
        return struct.pack("<BI", 18, number) + request

    def ask(self, number, request):
        """Sends a request and returns the seconds until its answer, and the answer's kind."""
        began = now()
        self.socket.send(self.message(number, request))
        while True:
            answer = self.socket.recv(8192)
            if answer[0] == 14 and answer[5] in (1, 2, 3) and struct.unpack_from("<I", answer, 1)[0] == number:
                return now() - began, answer[5]

    def configure(self, number, category, mode="default", options=0):
        return self.ask(number, struct.pack("<BBBI", 2, CATEGORIES[category], MODES[mode], options))

    def activate(self, number=1):
        return self.ask(number, struct.pack("<BB", 3, 0))

    def deactivate(self, number=1):
        return self.ask(number, struct.pack("<BB", 4, 1))

    def close(self):
        self.socket.close()
