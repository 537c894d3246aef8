"""Starts processes with one of three priorities."""
import enum
import subprocess


class Priority(enum.Enum):
    """The priority of a process: the command that starts it, and the nice value of its session."""

    NORMAL = [], 0
    LOW = ["nice", "-n", "5"], 5
    # Runs only while a processor has nothing else to do.
    IDLE = ["nice", "-n", "19", "chrt", "--idle", "0"], 19


def start(command, priority, **options):
    """Starts a process in a session of its own."""
    prefix, nice_value = priority.value
    child = subprocess.Popen(prefix + command, start_new_session=True, **options)
    # Where the kernel schedules sessions as groups (sched_autogroup), nice values are compared only inside a group.
    if priority != Priority.NORMAL:
        try:
            with open(f"/proc/{child.pid}/autogroup", "w") as file: file.write(str(nice_value))
        except OSError:  # The kernel has no such groups, or the process has ended.
            pass
    return child
