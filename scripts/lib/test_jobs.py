"""Groups the tests of a bundle into jobs. scripts/run-tests runs each job in a process of its own."""
import itertools
import re

# Suites that wait for long time limits.
WAITING_SUITES = re.compile(
    "AudioDeviceTests|BackgroundRelaunch|BackgroundWake|CompletionSnapshot|FullDisk|MemoryPressure|MemoryWarningCost|"
    "PodcastsDay|SystemStateTests")


class Job:
    """The tests that one process runs."""

    def __init__(self, name, tests, waits=False):
        """Creates a job; `waits`: whether its tests mostly wait."""
        self.name, self.tests, self.waits = name, tests, waits

    @property
    def has_deadlines(self):
        """Whether the tests wait for programs, with deadlines that a busy machine could exceed."""
        return self.name.startswith("EndToEndTests")

    def command(self, bundle, work):
        """Returns the command that runs the tests and writes their events to `work`/events."""
        # Grouped by suite: the bundle compares each of its tests with the expression.
        suites = [(suite_of(tests[0]), "|".join(re.escape(test[len(suite_of(test)):]) for test in tests))
                  for tests in suites_of(self.tests)]
        names = "^(" + "|".join(f"{re.escape(suite)}({tests})" for suite, tests in suites) + ")(/[^/]*[.]swift:|$)"
        return [
            bundle, "--testing-library", "swift-testing", "--no-parallel", "--filter", names,
            "--event-stream-output-path", work + "/events", "--event-stream-version", "0"]

    def summary(self, result):
        count = len(result.ran)
        later = f", {len(result.deferred)} deferred" if result.deferred else ""
        return f"{self.name}, {count} test{'' if count == 1 else 's'}{later}"


class Check(Job):
    """A command that runs beside the tests."""

    def __init__(self, shell_command):
        super().__init__(shell_command, [])

    def command(self, bundle, work):
        return ["bash", "-c", self.name]

    def summary(self, result):
        lines = result.output.splitlines()
        return f"{self.name}: {lines[-1] if lines else 'no output'}"


def suite_of(test):
    """Returns the suite of a test; for a test outside a suite, its module."""
    return test.split("/" if "/" in test else ".")[0]


def suites_of(tests):
    """Groups tests by their suite. A test outside a suite is grouped under its module."""
    return [list(members) for _, members in itertools.groupby(tests, suite_of)]


def jobs_of(groups, times, largest, largest_end_to_end):
    """Gathers groups of tests into jobs of one module with at most `largest` tests, unless a group is larger. Suites
    that wait have jobs of their own, half as large. Returns the longest first."""
    jobs, gathered = [], {}
    for tests in groups:
        module, waits = tests[0].split(".")[0], bool(WAITING_SUITES.search(tests[0]))
        limit = (largest_end_to_end if module == "EndToEndTests" else largest) // (2 if waits else 1)
        job = gathered.get((module, waits))
        if job is None or len(job.tests) + len(tests) > limit:
            number = sum(other.name.startswith(module + " ") for other in jobs) + 1
            job = gathered[module, waits] = Job(f"{module} {number}", [], waits)
            jobs.append(job)
        job.tests += tests
    guess = lambda test: 0.2 if not test.startswith("EndToEnd") else 20 if WAITING_SUITES.search(test) else 2
    return sorted(jobs, key=lambda job: -sum(times.get(test, guess(test)) for test in job.tests))


def failures_in(output):
    """Returns the output of a job without the lines about passed tests."""
    return "\n".join(line for line in output.splitlines() if not line.startswith(("◇", "✔")))


def name_of(test):
    """Returns a test's identifier without its source location, as `--list-tests` prints it."""
    return "/".join(part for part in test.split("/") if ".swift:" not in part)
