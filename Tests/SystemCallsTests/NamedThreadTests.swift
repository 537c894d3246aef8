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
    func systemShowsTheTruncatedNameOfTheThread(_ name: String, _ shown: String) throws {
        let seen = Monitor<String?>(nil)
        let thread = try NamedThread(name) { seen.withLock { $0 = Self.currentThreadName() } }
        thread.join()
        #expect(thread.name == name && seen.withLock { $0 } == shown)
    }

    @Test func threadHasTheIDThatTheKernelKnows() throws {
        let gate = Monitor(false)
        let thread = try NamedThread("worker") { _ = gate.wait { $0 ? true : nil } }
        let id = try #require(thread.threadID(until: MonotonicTime.now + 10_000_000_000))
        #expect(id != getpid() && access("/proc/self/task/\(id)", F_OK) == 0)
        gate.update { $0 = true }
        thread.join()
    }

    @Test func joinReturnsAfterTheBodyHasFinished() throws {
        let gate = Monitor(false), isOver = Monitor(false)
        let thread = try NamedThread("worker") {
            _ = gate.wait { $0 ? true : nil }
            isOver.withLock { $0 = true }
        }
        gate.update { $0 = true }
        thread.join()
        #expect(isOver.withLock { $0 })
        thread.join()
    }

    @Test("a detached thread continues after its object is deallocated")
    func detachedThreadOutlivesItsObject() throws {
        let gate = Monitor(false), isOver = Monitor(false)
        var thread: NamedThread? = try NamedThread("hangs") {
            _ = gate.wait { $0 ? true : nil }
            isOver.update { $0 = true }
        }
        thread?.detach()
        thread = nil
        gate.update { $0 = true }
        #expect(isOver.wait(until: MonotonicTime.now + 10_000_000_000) { $0 ? true : nil } == true)
    }

    @Test func threadIsCurrentOnlyOnItself() throws {
        let box = Monitor<NamedThread?>(nil), answer = Monitor(false)
        let thread = try NamedThread("self") {
            let me = box.wait { $0 }
            answer.withLock { $0 = me?.isCurrent == true }
        }
        box.update { $0 = thread }
        thread.join()
        box.withLock { $0 = nil }
        #expect(answer.withLock { $0 } && !thread.isCurrent)
    }

    @Test func threadsBlockAllSignalsExceptCrashSignals() throws {
        let blocked = Monitor<[Bool]>([])
        let thread = try NamedThread("masked") {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            let members = [SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGABRT].map { sigismember(&mask, $0) == 1 }
            blocked.withLock { $0 = members }
        }
        thread.join()
        #expect(blocked.withLock { $0 } == [true, true, true, false, false])
    }

    @Test func threadBodyIsReleasedWhenTheThreadEnds() throws {
        final class CapturedObject: Sendable {}
        weak var held: CapturedObject?
        do {
            let object = CapturedObject()
            held = object
            let thread = try NamedThread("holder") { withExtendedLifetime(object) {} }
            thread.join()
        }
        #expect(held == nil)
    }
}
