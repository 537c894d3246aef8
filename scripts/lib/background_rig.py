"""A private environment for background transfers of the test program BackgroundProbe, shared by the scripts that kill
its processes."""
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SWIFTPLAY_BUILD", ROOT + "/.build/debug")
LEDGER, ENGINE, PROGRAM = "swiftplay-backgroundd", "swiftplay-transfer", "BackgroundProbe"


class Rig:
    """The folders of one environment and the processes in it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="swiftplay-background.")
        for name in ["runtime", "state", "data", "out"]:
            os.mkdir(self.folder + "/" + name, 0o700)
        self.log, self.out = self.folder + "/log", self.folder + "/out"
        self.environment = dict(
            os.environ, XDG_RUNTIME_DIR=self.folder + "/runtime", XDG_STATE_HOME=self.folder + "/state",
            XDG_DATA_HOME=self.folder + "/data", XDG_CONFIG_HOME=self.folder + "/config",
            DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nowhere", DBUS_SESSION_BUS_ADDRESS="unix:path=/nowhere",
            SWIFTPLAY_BACKGROUNDD=BUILD + "/" + LEDGER, SWIFTPLAY_TRANSFER=BUILD + "/" + ENGINE)
        self.program = [BUILD + "/" + PROGRAM, self.log, self.out]

    def start(self, arguments, environment=None):
        """Starts a program in a session of its own."""
        return subprocess.Popen(
            arguments, env=environment or self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL, start_new_session=True)

    def start_ledger(self):
        """Starts the ledger, and waits until programs can connect."""
        subprocess.run([BUILD + "/" + LEDGER, "--detach"], env=self.environment, timeout=30, check=True)
        deadline = time.monotonic() + 30
        while True:
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
                try:
                    return connection.connect(self.folder + "/runtime/swiftplay/background.sock")
                except OSError:
                    if time.monotonic() > deadline:
                        raise
            time.sleep(0.01)

    def lines(self):
        """Returns the lines that the program has logged."""
        try:
            with open(self.log) as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def query(self, text):
        """Returns the rows of a query on the ledger's database; none while it cannot be read."""
        path = self.folder + "/state/swiftplay/background/ledger.sqlite"
        if not os.path.exists(path):
            return []
        try:
            connection = sqlite3.connect("file:%s?mode=ro" % path, uri=True, timeout=5)
            try:
                return connection.execute(text).fetchall()
            finally:
                connection.close()
        except sqlite3.Error:
            return []

    def processes(self, name=None):
        """Returns the numbers of the running processes of this environment with a name. The process that starts the
        ledger again does not count as a ledger."""
        found = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/environ" % process, "rb") as file:
                    if self.folder.encode() not in file.read():
                        continue
                with open("/proc/%s/cmdline" % process, "rb") as file:
                    if name == LEDGER and b"--detach" in file.read().split(b"\0"):
                        continue
                if name is None or os.path.basename(os.readlink("/proc/%s/exe" % process)) == name:
                    found.append(int(process))
            except OSError:
                continue
        return found

    def kill(self, name=None):
        """Kills the processes with a name. Returns their number."""
        killed = 0
        for process in self.processes(name):
            try:
                os.kill(process, signal.SIGKILL)
                killed += 1
            except OSError:
                continue
        return killed

    def clean(self):
        """Ends all processes and removes the folders."""
        while self.kill():
            time.sleep(0.01)
        shutil.rmtree(self.folder, ignore_errors=True)
