"""A private desktop for programs under test."""
import json, os, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Desk:
    """An X server and a sound server that run until `close`."""

    def __init__(self):
        code = "import json, os, sys; print(json.dumps(dict(os.environ)), flush=True); sys.stdin.read()"
        self.process = subprocess.Popen(
            [ROOT + "/scripts/desk", sys.executable, "-c", code],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line: sys.exit("run-tests: scripts/desk did not start")
        self.environment = json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
