import Testing

@testable import MediaPipeline
@testable import SwiftPlay

/// Tests when an item counts as loaded far enough to play.
@Suite struct BufferingStateTests {
    private static let second: Int64 = 1_000_000_000

    /// Returns the state of an item that is still being read.
    private func makeState(
        readAhead: Int64, isRemote: Bool = false, _ change: (inout BufferingState) -> Void = { _ in }
    ) -> BufferingState {
        var state = BufferingState(
            isEmpty: false, isFull: false, hasReadAll: false, readAhead: readAhead, readUntil: nil, bytesRead: 0)
        state.isRemote = isRemote
        change(&state)
        return state
    }

    @Test func fileNeedsHalfASecondAndANetworkItemTwoSeconds() {
        #expect(!makeState(readAhead: Self.second / 2 - 1).isLikelyToKeepUp)
        #expect(makeState(readAhead: Self.second / 2).isLikelyToKeepUp)
        #expect(!makeState(readAhead: 2 * Self.second - 1, isRemote: true).isLikelyToKeepUp)
        #expect(makeState(readAhead: 2 * Self.second, isRemote: true).isLikelyToKeepUp)
    }

    @Test func liveStreamNeedsAtMostOneTargetDuration() {
        func isLikelyToKeepUp(_ readAhead: Int64, targetDuration: Int64) -> Bool {
            makeState(readAhead: readAhead, isRemote: true) { $0.liveTargetDuration = targetDuration }.isLikelyToKeepUp
        }
        #expect(isLikelyToKeepUp(Self.second, targetDuration: Self.second))
        #expect(!isLikelyToKeepUp(Self.second - 1, targetDuration: Self.second))
        #expect(!isLikelyToKeepUp(Self.second, targetDuration: 10 * Self.second))
        #expect(isLikelyToKeepUp(2 * Self.second, targetDuration: 10 * Self.second))
        #expect(!isLikelyToKeepUp(0, targetDuration: 0), "nothing is loaded")
    }

    @Test func fullOrCompleteItemIsAlwaysLikelyToKeepUp() {
        for isRemote in [false, true] {
            #expect(makeState(readAhead: 0, isRemote: isRemote) { $0.isFull = true }.isLikelyToKeepUp)
            #expect(makeState(readAhead: 0, isRemote: isRemote) { $0.hasReadAll = true }.isLikelyToKeepUp)
        }
    }

    @Test func emptyBuffersAtTheItemsEndAreNotEmptyForPlaying() {
        #expect(makeState(readAhead: 0) { $0.isEmpty = true }.isEmptyForPlaying)
        #expect(!makeState(readAhead: 0) { ($0.isEmpty, $0.hasReadAll) = (true, true) }.isEmptyForPlaying)
        #expect(!makeState(readAhead: 0).isEmptyForPlaying)
    }

    @Test(arguments: [(Int64.min, 0), (0, 0), (1_000_000_000, 50), (1_999_999_999, 99), (.max, 100)])
    func rebufferingProgressIsAPercentageOfTheThreshold(_ readAhead: Int64, _ percent: Int) {
        #expect(makeState(readAhead: readAhead, isRemote: true).rebufferingPercent == percent)
    }

    @Test func itemThatIsReadCompletelyIsRebuffered() {
        #expect(makeState(readAhead: 0, isRemote: true) { $0.hasReadAll = true }.rebufferingPercent == 100)
    }
}
