import CompositorProtocol
import Testing

@testable import SwiftPlayKit

/// What a floating window shows of a range of time.
@Suite struct PlaybackFactsTests {
    private func facts(_ time: Double, _ range: MediaTimeRange) -> PlaybackFacts {
        PlaybackFacts(isPaused: false, time: MediaTime(seconds: time), in: range)
    }
    private let minute = MediaTimeRange(start: MediaTime(seconds: 10), duration: MediaTime(seconds: 60))

    @Test func theTimeCountsFromTheStartAndStaysInside() {
        #expect(facts(25, minute) == PlaybackFacts(isPaused: false, position: 15_000_000_000, duration: 60_000_000_000))
        #expect(facts(70.000_001, minute).position == 60_000_000_000)
        #expect(facts(9, minute).position == 0)
        #expect(facts(.nan, minute).position == 0)
    }

    @Test func whatIsLiveHasNoEndAndNothingHasNoLength() {
        #expect(
            facts(25, MediaTimeRange(start: .zero, duration: .positiveInfinity))
                == PlaybackFacts(isPaused: false, position: 25_000_000_000, duration: 0))
        #expect(facts(25, MediaTimeRange(start: .zero, duration: .indefinite)).duration == 0)
        #expect(facts(0, .invalid) == PlaybackFacts(isPaused: false, position: 0, duration: 0))
    }
}
