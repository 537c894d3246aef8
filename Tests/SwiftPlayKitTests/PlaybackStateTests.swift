import CompositorProtocol
import Testing

@testable import SwiftPlayKit

/// Tests of the position and the duration that the floating window shows.
@Suite struct PlaybackStateTests {
    private func playbackState(_ time: Double, _ range: MediaTimeRange) -> PlaybackState {
        PlaybackState(isPaused: false, time: MediaTime(seconds: time), in: range)
    }
    /// A time range from 10 s to 70 s.
    private let tenToSeventySeconds = MediaTimeRange(start: MediaTime(seconds: 10), duration: MediaTime(seconds: 60))

    @Test func thePositionIsRelativeToTheRangeAndClamped() {
        #expect(
            playbackState(25, tenToSeventySeconds)
                == PlaybackState(isPaused: false, position: 15_000_000_000, duration: 60_000_000_000))
        #expect(playbackState(70.000_001, tenToSeventySeconds).position == 60_000_000_000)
        #expect(playbackState(9, tenToSeventySeconds).position == 0)
        #expect(playbackState(.nan, tenToSeventySeconds).position == 0)
    }

    @Test func liveAndInvalidRangesHaveNoDuration() {
        #expect(
            playbackState(25, MediaTimeRange(start: .zero, duration: .positiveInfinity))
                == PlaybackState(isPaused: false, position: 25_000_000_000, duration: 0))
        #expect(playbackState(25, MediaTimeRange(start: .zero, duration: .indefinite)).duration == 0)
        #expect(playbackState(0, .invalid) == PlaybackState(isPaused: false, position: 0, duration: 0))
    }
}
