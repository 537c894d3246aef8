import Glibc
import Testing

@testable import SystemCalls

@Suite struct ThreadPriorityTests {
    /// The nice value of the calling thread.
    private static var niceValue: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    @Test(arguments: ThreadPriority.allCases)
    func priorityIsLoweredForTheThreadAloneAndForThreadsThatItStarts(_ priority: ThreadPriority) throws {
        let niceValueBefore = Self.niceValue
        let threadNiceValue = Monitor<Int32?>(nil), newThreadNiceValue = Monitor<Int32?>(nil)
        let thread = try NamedThread("utility") {
            priority.applyToCurrentThread()
            threadNiceValue.withLock { $0 = Self.niceValue }
            let innerThread = try? NamedThread("inner") { newThreadNiceValue.withLock { $0 = Self.niceValue } }
            innerThread?.join()
        }
        thread.join()
        let expectedNiceValue = min(niceValueBefore + priority.rawValue, 19)
        #expect(threadNiceValue.withLock { $0 } == expectedNiceValue)
        #expect(newThreadNiceValue.withLock { $0 } == expectedNiceValue)
        #expect(Self.niceValue == niceValueBefore)
    }

    @Test func realtimeLimitIsOnlyLowered() throws {
        let initialLimit = try #require(ThreadPriority.realtimeLimit)
        let loweredLimit = min(initialLimit, 400_000)
        try ThreadPriority.limitRealtime(microseconds: Int64(clamping: loweredLimit))
        #expect(try #require(ThreadPriority.realtimeLimit) == loweredLimit)
        try ThreadPriority.limitRealtime(microseconds: 900_000)
        #expect(try #require(ThreadPriority.realtimeLimit) == loweredLimit)
    }
}
