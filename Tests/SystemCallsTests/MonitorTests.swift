import Testing

@testable import SystemCalls

@Suite struct MonitorTests {
    @Test func updateWakesAWaitingThread() throws {
        let monitor = Monitor(0)
        let threadResult = Monitor<Int?>(nil)
        let thread = try NamedThread("waiter") {
            let waitResult = monitor.wait { $0 >= 3 ? $0 : nil }
            threadResult.withLock { $0 = waitResult }
        }
        for _ in 0..<3 { monitor.update { $0 += 1 } }
        thread.join()
        #expect(threadResult.withLock { $0 } == 3)
    }

    @Test func updateWakesAllWaitingThreads() throws {
        let monitor = Monitor(false), wokenThreadCount = Monitor(0)
        let threads = try (0..<4).map { _ in
            try NamedThread("waiter") {
                _ = monitor.wait { $0 ? true : nil }
                wokenThreadCount.withLock { $0 += 1 }
            }
        }
        monitor.update { $0 = true }
        for thread in threads { thread.join() }
        #expect(wokenThreadCount.withLock { $0 } == 4)
    }

    @Test func waitChecksTheConditionOnceAfterTheDeadline() {
        let monitor = Monitor(7)
        #expect(monitor.wait(until: 0) { $0 == 7 ? "seven" : nil } == "seven")
        #expect(monitor.wait(until: 0) { $0 == 8 ? "eight" : nil } == nil)
        #expect(monitor.wait(until: 1) { _ in Int?.none } == nil)
    }

    @Test func waitLastsUntilTheDeadline() {
        let deadline = MonotonicTime.now + 5_000_000
        #expect(Monitor(0).wait(until: deadline) { _ in Int?.none } == nil)
        #expect(MonotonicTime.now >= deadline)
    }

    @Test func waitConditionMayChangeTheValue() {
        let monitor = Monitor([1, 2])
        #expect(monitor.wait { $0.popLast() } == 2)
        #expect(monitor.withLock { $0 } == [1])
    }

    @Test func errorsAreRethrownAndTheLockIsReleased() {
        struct Failure: Error {}
        let monitor = Monitor(0)
        #expect(throws: Failure.self) { try monitor.withLock { _ in throw Failure() } }
        #expect(throws: Failure.self) { try monitor.update { _ in throw Failure() } }
        #expect(monitor.withLock { $0 } == 0)
    }

    @Test func concurrentChangesFromSeveralThreadsAreKept() throws {
        let monitor = Monitor(0)
        let threads = try (0..<4).map { _ in
            try NamedThread("adder") { for _ in 0..<10_000 { monitor.withLock { $0 += 1 } } }
        }
        for thread in threads { thread.join() }
        #expect(monitor.withLock { $0 } == 40_000)
    }
}
