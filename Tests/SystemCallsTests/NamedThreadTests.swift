import Glibc
import Testing

@testable import SystemCalls

@Suite struct NamedThreadTests {
    /// Returns the calling thread's name as Linux shows it in /proc, with a line feed.
    private static func currentThreadName() -> String? {
        guard let file = fopen("/proc/thread-self/comm", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, 64, file) != nil else { return nil }
        return line.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }

    @Test(arguments: [("short", "short\n"), ("a name that is too long", "a name that is \n")])
    func systemShowsTheTruncatedNameOfTheThread(_ name: String, _ expectedName: String) throws {
        let observedName = Monitor<String?>(nil)
        let thread = try NamedThread(name) { observedName.withLock { $0 = Self.currentThreadName() } }
        thread.join()
        #expect(thread.name == name && observedName.withLock { $0 } == expectedName)
    }

    @Test func threadHasTheIDThatTheKernelKnows() throws {
        let mayEnd = Monitor(false)
        let thread = try NamedThread("worker") { _ = mayEnd.wait { $0 ? true : nil } }
        let id = try #require(thread.threadID(until: MonotonicTime.now + 10_000_000_000))
        #expect(id != getpid() && access("/proc/self/task/\(id)", F_OK) == 0)
        mayEnd.update { $0 = true }
        thread.join()
    }

    @Test func joinReturnsAfterTheBodyHasFinished() throws {
        let canContinue = Monitor(false), hasFinished = Monitor(false)
        let thread = try NamedThread("worker") {
            _ = canContinue.wait { $0 ? true : nil }
            hasFinished.withLock { $0 = true }
        }
        canContinue.update { $0 = true }
        thread.join()
        #expect(hasFinished.withLock { $0 })
        thread.join()
    }

    @Test("a detached thread continues after its object is deallocated")
    func detachedThreadOutlivesItsObject() throws {
        let canContinue = Monitor(false), hasFinished = Monitor(false)
        var thread: NamedThread? = try NamedThread("hangs") {
            _ = canContinue.wait { $0 ? true : nil }
            hasFinished.update { $0 = true }
        }
        thread?.detach()
        thread = nil
        canContinue.update { $0 = true }
        #expect(hasFinished.wait(until: MonotonicTime.now + 10_000_000_000) { $0 ? true : nil } == true)
    }

    @Test func isCurrentIsTrueOnlyOnTheThreadItself() throws {
        let threadReference = Monitor<NamedThread?>(nil), isCurrentOnItself = Monitor(false)
        let thread = try NamedThread("self") {
            let currentThread = threadReference.wait { $0 }
            isCurrentOnItself.withLock { $0 = currentThread?.isCurrent == true }
        }
        threadReference.update { $0 = thread }
        thread.join()
        threadReference.withLock { $0 = nil }
        #expect(isCurrentOnItself.withLock { $0 } && !thread.isCurrent)
    }

    @Test func threadsBlockAllSignalsExceptCrashSignals() throws {
        let areBlocked = Monitor<[Bool]>([])
        let thread = try NamedThread("masked") {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            let memberships = [SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGABRT].map { sigismember(&mask, $0) == 1 }
            areBlocked.withLock { $0 = memberships }
        }
        thread.join()
        #expect(areBlocked.withLock { $0 } == [true, true, true, false, false])
    }

    @Test func threadBodyIsReleasedWhenTheThreadEnds() throws {
        final class CapturedObject: Sendable {}
        weak var weakObject: CapturedObject?
        do {
            let object = CapturedObject()
            weakObject = object
            let thread = try NamedThread("holder") { withExtendedLifetime(object) {} }
            thread.join()
        }
        #expect(weakObject == nil)
    }

    @Test func onlyNamedThreadsAreMarked() throws {
        let isMarked = Monitor<Bool?>(nil)
        let thread = try NamedThread("marked") {
            let isCurrentThreadNamed = NamedThread.isCurrentThreadNamed
            isMarked.withLock { $0 = isCurrentThreadNamed }
        }
        thread.join()
        #expect(isMarked.withLock { $0 } == true && !NamedThread.isCurrentThreadNamed)
    }

    @Test func joiningUntilAPassedDeadlineFailsWhileTheThreadRuns() throws {
        let mayEnd = Monitor(false)
        let thread = try NamedThread("worker") { _ = mayEnd.wait { $0 ? true : nil } }
        #expect(!thread.join(until: 0) && !thread.join(until: MonotonicTime.now))
        mayEnd.update { $0 = true }
        #expect(thread.join(until: MonotonicTime.now + 60_000_000_000))
        #expect(thread.join(until: 0), "the thread is joined already")
    }

    @Test func aThreadThatJoinsItselfContinues() throws {
        let threadReference = Monitor<NamedThread?>(nil), hasFinished = Monitor(false)
        var thread: NamedThread? = try NamedThread("self") {
            threadReference.wait { $0 }?.join()
            threadReference.withLock { $0 = nil }
            hasFinished.update { $0 = true }
        }
        threadReference.update { $0 = thread }
        thread = nil
        #expect(hasFinished.wait(until: MonotonicTime.now + 60_000_000_000) { $0 ? true : nil } == true)
        #expect(thread == nil)
    }
}
