import Testing

@testable import SwiftPlayCLI

@Suite struct SeekHistoryTests {
    private let second: Int64 = 1_000_000_000

    @Test func revertingReturnsToThePositionBeforeTheSeekAndBack() {
        var history = SeekHistory()
        #expect(history.revert(from: 1) == nil)
        history.willSeek(from: 10, now: 0)
        #expect(history.revert(from: 50) == 10)
        #expect(history.revert(from: 10) == 50)
    }

    @Test func seeksInQuickSuccessionCountAsOne() {
        var history = SeekHistory()
        history.willSeek(from: 10, now: 0)
        history.willSeek(from: 15, now: second)
        history.willSeek(from: 20, now: 2 * second)
        #expect(history.revert(from: 25) == 10)
        history.willSeek(from: 10, now: 10 * second)
        history.willSeek(from: 15, now: 13 * second)
        #expect(history.revert(from: 20) == 15)
    }

    @Test func aMarkedPositionIsUsedOnceOrPermanently() {
        var history = SeekHistory()
        history.mark(5, permanently: false)
        #expect(history.revert(from: 30) == 5)
        #expect(history.revert(from: 5) == 30)
        history.mark(7, permanently: true)
        #expect(history.revert(from: 30) == 7)
        #expect(history.revert(from: 40) == 7)
    }

    @Test("a marked position has priority over the last seek, once")
    func markedPositionHasPriority() {
        var history = SeekHistory()
        history.willSeek(from: 10, now: 0)
        history.mark(5, permanently: false)
        let firstGoal = history.revert(from: 30), secondGoal = history.revert(from: 5)
        #expect(firstGoal == 5 && secondGoal == 30)
        history.mark(7, permanently: true)
        history.mark(8, permanently: false)
        let thirdGoal = history.revert(from: 40), fourthGoal = history.revert(from: 8)
        #expect(thirdGoal == 8 && fourthGoal == 40, "the second mark is not permanent")
    }

    @Test("a seek soon after a revert is recorded, because it belongs to no earlier seek")
    func seekAfterARevertIsRecorded() {
        var history = SeekHistory()
        history.willSeek(from: 10, now: 0)
        _ = history.revert(from: 20)
        history.willSeek(from: 12, now: 1)
        let earlierPosition = history.revert(from: 90)
        #expect(earlierPosition == 12)
    }
}
