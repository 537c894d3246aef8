import BackgroundProtocol
import Testing

@testable import TransferEngine

@Suite struct LowSpeedDetectorTests {
    private static let second: Int64 = 1_000_000_000

    /// Returns a detector of less than 1000 bytes a second for 10 s, which has begun at 0.
    private func detector(rate: UInt64 = 0) -> LowSpeedDetector {
        var detector = LowSpeedDetector(TransferLimits(lowSpeed: 1000, lowSpeedTime: 10_000), rate: rate)
        detector.start(now: 0)
        return detector
    }

    @Test func aSilentServerIsTooSlow() { #expect(detector().deadline == 10 * Self.second) }

    @Test func aDrippingServerIsTooSlow() {
        var detector = detector()
        for second in 1..<10 { detector.record(999, now: Int64(second) * Self.second) }
        #expect(detector.deadline == 10 * Self.second)
    }

    @Test func enoughBytesBeginANewWindow() {
        var detector = detector()
        detector.record(10_000, now: 4 * Self.second)
        #expect(detector.deadline == 14 * Self.second)
    }

    @Test func bytesOfTheLastWindowDoNotCount() {
        var detector = detector()
        detector.record(19_999, now: 4 * Self.second)
        detector.record(9_999, now: 13 * Self.second)
        #expect(detector.deadline == 14 * Self.second)
    }

    @Test func anEndedRequestIsNotTooSlow() {
        var detector = detector()
        detector.stop()
        detector.record(1, now: 1)
        #expect(detector.deadline == nil)
    }

    @Test func aTimeOfZeroDisablesTheDetector() {
        var detector = LowSpeedDetector(TransferLimits(lowSpeed: 1000, lowSpeedTime: 0), rate: 0)
        detector.start(now: 0)
        #expect(detector.deadline == nil)
    }

    @Test func aLimitedRateIsNotTooSlow() {
        var detector = detector(rate: 100)
        // 10 s at the limit of 100 bytes a second.
        detector.record(1000, now: 9 * Self.second)
        #expect(detector.deadline == 19 * Self.second)
    }

    @Test func aChangedRateKeepsTheWindow() {
        var detector = detector(rate: 100)
        detector.setLimits(TransferLimits(lowSpeed: 1000, lowSpeedTime: 10_000), rate: 0)
        detector.record(1000, now: 9 * Self.second)
        #expect(detector.deadline == 10 * Self.second)
    }

    @Test func theHighestLimitsDoNotOverflow() {
        let limits = TransferLimits(lowSpeed: .max, lowSpeedTime: .max)
        var detector = LowSpeedDetector(limits, rate: .max)
        detector.start(now: 0)
        #expect(detector.deadline == Int64(UInt32.max) * 1_000_000)
    }
}
