import Testing

@testable import SwiftPlay

@Suite struct PositionCorrectionTests {
    private static let millisecond: Int64 = 1_000_000

    @Test func positionIsSentDuringAndAfterALongWait() {
        var correction = PositionCorrection(), sendTimes: [Int64] = []
        for now in stride(from: 0 as Int64, through: 4000, by: 50) {
            let isWaiting = (1000..<3500).contains(now)
            if correction.update(isWaiting: isWaiting, at: now * Self.millisecond) { sendTimes.append(now) }
        }
        #expect(sendTimes == [1300, 2300, 3300, 3500] && correction.deadline == nil)
    }

    @Test func positionIsNotSentForAShortWait() {
        var correction = PositionCorrection()
        let results = [0, 100, 299].map { correction.update(isWaiting: true, at: $0 * Self.millisecond) }
        #expect(results == [false, false, false] && correction.deadline == 300 * Self.millisecond)
        let isSentAtEnd = correction.update(isWaiting: false, at: 310 * Self.millisecond)
        #expect(!isSentAtEnd && correction.deadline == nil)
    }
}
