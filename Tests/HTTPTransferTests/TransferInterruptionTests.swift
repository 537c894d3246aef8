import SystemCalls
import TestSupport
import Testing

@testable import HTTPTransfer

@Suite struct TransferInterruptionTests {
    /// Returns an interruption without events.
    private func interruption(isRequested: Bool, deadline: Int64? = nil) -> TransferInterruption {
        TransferInterruption(events: []) { isRequested }.until(deadline)
    }

    @Test func aRequestedInterruptionEndsASleepAtOnce() {
        #expect(!interruption(isRequested: true).sleep(until: .max))
        #expect(
            !interruption(isRequested: true).sleep(until: 0), "a request takes precedence over the end of the sleep")
    }

    @Test func aSleepUntilAPassedTimeSucceedsDespiteAPassedDeadline() {
        #expect(interruption(isRequested: false, deadline: 0).sleep(until: 0))
    }

    @Test func aPassedDeadlineEndsASleep() {
        #expect(!interruption(isRequested: false, deadline: 0).sleep(until: .max))
        #expect(!interruption(isRequested: false, deadline: MonotonicTime.now + 1000).sleep(until: .max))
    }

    @Test func anEventEndsASleepOnlyIfAnInterruptionIsRequested() throws {
        let event = try EventDescriptor()
        event.signal()
        var checkCount = 0
        let interruption = TransferInterruption(events: [event]) {
            checkCount += 1
            return checkCount == 3
        }
        #expect(!interruption.until(Deadline.after(.seconds(60))).sleep(until: .max))
        #expect(checkCount == 3, "the event ends each wait, and the request ends the sleep")
    }

    @Test func anotherDeadlineLeavesTheOriginalUnchanged() {
        let original = interruption(isRequested: false, deadline: 5)
        #expect(original.until(9).deadline == 9 && original.until(nil).deadline == nil && original.deadline == 5)
    }
}
