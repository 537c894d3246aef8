"""Starts processes with one of two priorities."""
import subprocess

LOW_PRIORITY = 5  # a nice value


def start(command, is_urgent, **options):
    """Starts a process in a session of its own, with a lower priority unless it is urgent."""
    if is_urgent: return subprocess.Popen(command, start_new_session=True, **options)
    child = subprocess.Popen(["nice", "-n", str(LOW_PRIORITY)] + command, start_new_session=True, **options)
    # Where the kernel schedules sessions as groups (sched_autogroup), nice values are compared only inside a group.
    try:
        with open(f"/proc/{child.pid}/autogroup", "w") as file: file.write(str(LOW_PRIORITY))
    except OSError:  # The kernel has no such groups, or the process has ended.
        pass
    return child
