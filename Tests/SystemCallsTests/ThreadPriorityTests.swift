import Glibc
import Testing

@testable import SystemCalls

@Suite struct ThreadPriorityTests {
    /// The nice value of the calling thread.
    private static var niceValue: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    @Test(arguments: ThreadPriority.allCases)
    func priorityIsLoweredForTheThreadAloneAndForThreadsThatItStarts(_ priority: ThreadPriority) throws {
        let before = Self.niceValue
        let inThread = Monitor<Int32?>(nil), inNewThread = Monitor<Int32?>(nil)
        let thread = try NamedThread("utility") {
            priority.applyToCurrentThread()
            inThread.withLock { $0 = Self.niceValue }
            let inner = try? NamedThread("inner") { inNewThread.withLock { $0 = Self.niceValue } }
            inner?.join()
        }
        thread.join()
        let expected = min(before + priority.rawValue, 19)
        #expect(inThread.withLock { $0 } == expected)
        #expect(inNewThread.withLock { $0 } == expected)
        #expect(Self.niceValue == before)
    }

    @Test func realtimeLimitIsOnlyLowered() throws {
        let former = try #require(ThreadPriority.realtimeLimit)
        let first = min(former, 400_000)
        try ThreadPriority.limitRealtime(microseconds: Int64(clamping: first))
        // Other tests of this process may lower the limit at the same time.
        #expect(try #require(ThreadPriority.realtimeLimit) <= first)
        try ThreadPriority.limitRealtime(microseconds: 900_000)
        #expect(try #require(ThreadPriority.realtimeLimit) <= first)
    }
}
