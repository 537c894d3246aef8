import Glibc
import Testing

@testable import SystemCalls

@Suite struct SignalDescriptorTests {
    /// Runs `body`, which sends signals to its own thread, on a new ``NamedThread``. Such a thread starts with these
    /// signals blocked, so that they stay pending.
    private func runOnNewThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
        let threadResult = Monitor<Swift.Result<Result, any Error>?>(nil)
        let thread = try NamedThread("signals") {
            let result = Swift.Result { try body() }
            threadResult.update { $0 = result }
        }
        thread.join()
        return try #require(threadResult.withLock { $0 }).get()
    }

    @Test func nextReturnsNilWithoutAPendingSignal() throws {
        #expect(try runOnNewThread { try SignalDescriptor([SIGUSR1]).next() } == nil)
    }

    @Test func pendingSignalIsReadOnceByItsNumber() throws {
        let receivedSignals = try runOnNewThread { () -> [Int32?] in
            let signals = try SignalDescriptor([SIGUSR1, SIGUSR2])
            pthread_kill(pthread_self(), SIGUSR2)
            let isReadable = try Poll.waitReadable(signals.descriptor.raw, until: 0)
            return [isReadable ? 1 : 0, signals.next(), signals.next()]
        }
        #expect(receivedSignals == [1, SIGUSR2, nil])
    }

    @Test func signalsOfAnotherDescriptorStayPending() throws {
        let receivedSignals = try runOnNewThread { () -> [Int32?] in
            let firstDescriptor = try SignalDescriptor([SIGUSR1]), secondDescriptor = try SignalDescriptor([SIGUSR2])
            pthread_kill(pthread_self(), SIGUSR2)
            return [firstDescriptor.next(), secondDescriptor.next()]
        }
        #expect(receivedSignals == [nil, SIGUSR2])
    }

    @Test func aPendingSignalIsNotQueuedTwice() throws {
        let receivedSignals = try runOnNewThread { () -> [Int32?] in
            let signals = try SignalDescriptor([SIGUSR1])
            for _ in 0..<2 { pthread_kill(pthread_self(), SIGUSR1) }
            return [signals.next(), signals.next()]
        }
        #expect(receivedSignals == [SIGUSR1, nil])
    }

    @Test func signalDescriptorIsClosedOnExec() throws {
        let flags = try runOnNewThread { () -> Int32 in
            let signals = try SignalDescriptor([SIGUSR1])
            return withExtendedLifetime(signals) { fcntl($0.descriptor.raw, F_GETFD) }
        }
        #expect(flags >= 0 && flags & FD_CLOEXEC != 0)
    }
}

@Suite struct MonotonicTimeTests {
    @Test func monotonicTimeNeverGoesBackwards() {
        var previousTime = MonotonicTime.now
        for _ in 0..<100_000 {
            let now = MonotonicTime.now
            if now < previousTime { Issue.record("\(now) after \(previousTime)") }
            previousTime = now
        }
    }

    @Test func sleepLastsAtLeastTheGivenTime() {
        let start = MonotonicTime.now
        MonotonicTime.sleep(5_000_000)
        #expect(MonotonicTime.now - start >= 5_000_000)
    }

    @Test func suspendedTimeIsConstantWhileTheMachineRuns() {
        let timeBefore = MonotonicTime.suspendedTime
        MonotonicTime.sleep(2_000_000)
        #expect(timeBefore > -1_000_000 && abs(MonotonicTime.suspendedTime - timeBefore) < 1_000_000_000)
    }
}
