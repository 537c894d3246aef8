"""A client that sends valid, malformed and random messages to the compositor."""
import fcntl
import os
import random
import socket
import struct
import time

dice = random.Random(int(os.environ.get("SIEGE_SEED", "1")))


class Attacker:
    """A client of the compositor that sends valid, malformed and random messages."""

    LIMITS = [
        0, 1, 2, 7, 8, 63, 64, 127, 128, 255, 256, 257, 1000, 4095, 4096, 16383, 16384, 16385, 32767, 32768, 65535,
        65536, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1]

    def __init__(self):
        self.path = os.path.join(os.environ["XDG_RUNTIME_DIR"], "swiftplay", "compositor")
        self.socket, self.sent, self.connections = None, 0, 0
        self.files = {
            "sealed": self.file(1 << 16, seals=2), "ring": self.file(4096, seals=2),
            "small": self.file(16, seals=2), "empty": self.file(0, seals=2), "unsealed": self.file(1 << 16, seals=0),
            "event": os.eventfd(0, os.EFD_NONBLOCK), "null": os.open("/dev/null", os.O_RDWR),
            "directory": os.open("/", os.O_RDONLY)}

    @staticmethod
    def file(size, seals):
        """Returns a memory file."""
        made = os.memfd_create("hostile", os.MFD_ALLOW_SEALING)
        os.ftruncate(made, size)
        if seals:
            fcntl.fcntl(made, 1033, seals)  # F_ADD_SEALS; 2 is F_SEAL_SHRINK
        return made

    def connect(self):
        if self.socket:
            self.socket.close()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(5)
        self.socket.connect(self.path)
        self.socket.setblocking(False)
        self.connections += 1
        if dice.random() < 0.97:
            self.send(struct.pack("<BHHH", 1, 6, 2, 0))

    def number(self, size):
        """Returns a limit value or a random byte as an unsigned integer of `size` bytes."""
        return (dice.choice(self.LIMITS) if dice.random() < 0.5 else dice.getrandbits(8)) % (1 << (8 * size))

    def message(self):
        """Returns a message, mostly of a valid structure with random values, and the names of its descriptors."""
        kind = dice.choice([
            1, 2, 2, 3, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15, 16, 18, 18, 18, 19, dice.getrandbits(8)])
        session = dice.choice([1, 1, 1, 2, self.number(4)])
        head, files = struct.pack("<BI", kind, session), []
        if kind == 1:
            text = os.urandom(dice.choice([0, 3, 40]))
            return struct.pack("<BHHH", 1, self.number(2), self.number(2), len(text)) + text, files
        if kind == 2:
            files = [
                dice.choice(["ring", "ring", "sealed", "small", "unsealed"]), "ring",
                dice.choice(["event", "event", "null", "directory"])]
            display = b"\x01" + struct.pack("<H", 2) + b":9" + struct.pack("<H", 0)
            return head + dice.choice([b"\x02", b"\x02", display, os.urandom(3)]), files
        if kind == 3:
            return head + struct.pack("<I", self.number(4)), [dice.choice(list(self.files))]
        if kind == 4:
            return head + struct.pack("<I", self.number(4)), files
        if kind == 5:
            planes = dice.choice([1, 3, 3, self.number(1)])
            body = struct.pack("<IHIIB", self.number(4), self.number(2), self.number(4), self.number(4), planes)
            body += b"".join(struct.pack("<II", self.number(4), self.number(4)) for _ in range(min(planes, 8)))
            return head + body + struct.pack("<ii", 1, 1) + os.urandom(4) + struct.pack("<HB", 0, 0) + b"\0" * 8, files
        if kind == 9:
            return head + struct.pack("<BQQ", self.number(1), self.number(8), self.number(8)), files
        if kind == 11:
            count = dice.choice([1, 2, self.number(1)])
            body = struct.pack("<IIB", self.number(4), self.number(4), count)
            body += b"".join(
                struct.pack("<IIII", *(self.number(4) for _ in range(4))) for _ in range(min(count, 70)))
            return head + body, [dice.choice(list(self.files))]
        if kind in (13, 14):
            return head + struct.pack("<IIII", *(self.number(4) for _ in range(4))), files
        if kind == 15:
            return head + struct.pack("<HB", self.number(2), self.number(1)), files
        if kind == 18:
            request = dice.choice([1, 2, 2, 3, 3, 4, 5, 5, 6, 7, 8, self.number(1)])
            if request == 2:
                body = struct.pack(
                    "<BBI", dice.choice([0, 1, 2, 2, 3, 4, 5, self.number(1)]),
                    dice.choice([0, 0, 1, 2, 3, self.number(1)]), dice.choice([0, 0, 1, 2, 0x11, 0x13, self.number(4)]))
            else:
                body = b"" if request == 8 else bytes([dice.choice([0, 1, 2, 3, self.number(1)])])
            if request == 1:
                files = [dice.choice(["ring", "ring", *self.files])]
            return head + bytes([request]) + body, files
        if kind == 19:
            event = dice.choice([
                b"\1\0", b"\1\1", b"\2", b"\3", b"\4\0", b"\4\1", b"\5\0", b"\5\1", b"\6", b"\7",
                bytes([self.number(1)])])
            return bytes([19]) + event, files
        return head, files

    def mutated(self):
        """Returns a message that may be altered, cut or extended, or may have other descriptors."""
        data, files = self.message()
        chance = dice.random()
        if chance < 0.1 and data:
            at = dice.randrange(len(data))
            data = data[:at] + bytes([dice.getrandbits(8)]) + data[at + 1:]
        elif chance < 0.15:
            data = data[:dice.randrange(len(data) + 1)]
        elif chance < 0.2:
            data += os.urandom(dice.choice([1, 8, 9000]))
        if dice.random() < 0.03:
            files = [dice.choice(list(self.files)) for _ in range(dice.randrange(6))]
        return data, files

    def send(self, data, files=()):
        """Sends a message. Returns False if the compositor has closed the connection."""
        self.sent += 1
        try:
            numbers = struct.pack(f"{len(files)}i", *(self.files[name] for name in files))
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)] if files else []
            self.socket.sendmsg([data or b"\0"], rights)
            return True
        except BlockingIOError:
            time.sleep(0.0005)
            return True
        except OSError:
            return False

    def drain(self):
        """Discards all replies."""
        try:
            while self.socket.recv(8192):
                pass
        except OSError:
            pass
