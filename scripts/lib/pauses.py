"""Detects when a virtual machine stands still or is overloaded. scripts/run-tests uses it."""
import os, subprocess, sys, threading, time


class PauseDetector:
    """Records when the machine stood still or was overloaded: processes sleep for 2 ms again and again, and record when
    they wake up late. One on each processor has real-time priority; without the right to it, it records nothing. One
    has the priority of the tests. A thread records when the host took processor time away (steal in /proc/stat)."""

    LATE, LATE_AT_NORMAL_PRIORITY = 0.010, 0.015
    CODE = """
import os, sys, time
if sys.argv[1]:
    os.sched_setaffinity(0, {int(sys.argv[1])})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
parent = os.getppid()
while os.getppid() == parent:
    began = time.monotonic()
    time.sleep(0.002)
    late = time.monotonic() - began - 0.002
    if late > float(sys.argv[2]): print(began, late, flush=True)
"""

    def __init__(self):
        self.pauses = []
        limits = [(str(processor), self.LATE) for processor in sorted(os.sched_getaffinity(0))]
        limits.append(("", self.LATE_AT_NORMAL_PRIORITY))
        commands = [[sys.executable, "-c", self.CODE, processor, str(limit)] for processor, limit in limits]
        streams = dict(stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.children = [subprocess.Popen(command, **streams) for command in commands]
        for child in self.children: threading.Thread(target=self.read, args=(child,), daemon=True).start()
        self.is_closed = threading.Event()
        threading.Thread(target=self.watch_steal, daemon=True).start()

    def read(self, child):
        for line in child.stdout: self.pauses.append(tuple(float(word) for word in line.split()))

    def watch_steal(self):
        last, now, tick = None, time.monotonic(), 1 / os.sysconf("SC_CLK_TCK")
        while not self.is_closed.wait(0.1):
            with open("/proc/stat") as file: stolen = int(file.readline().split()[8]) * tick
            began, now = now, time.monotonic()
            if last is not None and stolen - last > 2 * self.LATE: self.pauses.append((began, stolen - last))
            last = stolen

    def longest(self, began, ended):
        """Returns the duration in seconds of the longest pause between two times; 0 if there was none."""
        return max((late for start, late in self.pauses if start < ended and start + late > began), default=0)

    def close(self):
        self.is_closed.set()
        for child in self.children: child.kill(), child.wait()
