import Foundation
import Glibc
import SystemCalls
import Testing

@Suite struct ProcessStateTests {
    /// Waits up to five seconds for `condition`, and returns whether it is true.
    private func waitUntil(_ condition: () -> Bool) -> Bool {
        let deadline = MonotonicTime.now + 5_000_000_000
        while !condition(), MonotonicTime.now < deadline { sched_yield() }
        return condition()
    }

    @Test func stoppedAndExitedProcessesAreReported() throws {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sleep")
        child.arguments = ["60"]
        try child.run()
        defer { child.terminate() }
        let process = child.processIdentifier
        #expect(!ProcessState.isStoppedOrExited(getpid()) && !ProcessState.isStoppedOrExited(process))
        kill(process, SIGSTOP)
        #expect(waitUntil { ProcessState.isStoppedOrExited(process) })
        kill(process, SIGCONT)
        #expect(waitUntil { !ProcessState.isStoppedOrExited(process) })
        kill(process, SIGKILL)
        child.waitUntilExit()
        #expect(ProcessState.isStoppedOrExited(process))
    }

    @Test func tracedProcessesHaveATracer() throws {
        #expect(ProcessState.tracer(of: getpid()) == nil)
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        // Request 0 (PTRACE_TRACEME) makes the parent the tracer.
        child.arguments = ["-c", "import ctypes, time; ctypes.CDLL(None).ptrace(0, 0, 0, 0); time.sleep(60)"]
        try child.run()
        defer {
            kill(child.processIdentifier, SIGKILL)
            child.waitUntilExit()
        }
        #expect(waitUntil { ProcessState.tracer(of: child.processIdentifier) != nil })
    }

    @Test func onlyAStopSignalCountsAsStopped() throws {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sleep")
        child.arguments = ["60"]
        try child.run()
        let process = child.processIdentifier
        #expect(!ProcessState.isStoppedBySignal(process))
        kill(process, SIGSTOP)
        #expect(waitUntil { ProcessState.isStoppedBySignal(process) })
        kill(process, SIGKILL)
        child.waitUntilExit()
        #expect(!ProcessState.isStoppedBySignal(process))
    }

    @Test(arguments: [-1, 0, Int32.max]) func aMissingProcessHasExitedAndIsNotStopped(_ process: Int32) {
        #expect(ProcessState.isStoppedOrExited(process) && !ProcessState.isStoppedBySignal(process))
        #expect(ProcessState.tracer(of: process) == nil)
    }

    @Test func theStartTimeIdentifiesAProcess() throws {
        let own = ProcessState.startTime(of: getpid())
        #expect(own > 0 && own == ProcessState.startTime(of: getpid()))
        #expect(ProcessState.startTime(of: 1) <= own)
        #expect(ProcessState.startTime(of: .max) == 0)
    }
}
