import SwiftPlayKit
import Testing

@testable import SwiftPlayCLI

@Suite struct PlaybackSummaryTests {
    /// Returns the line for moves of the picture in these directions.
    private func summary(_ directions: [PlaybackStatistics.Handoff.Direction], frameCount: Int = 60) -> String {
        var statistics = PlaybackStatistics()
        (statistics.framesPresented, statistics.framesDropped) = (frameCount, 2)
        statistics.handoffs = directions.map { .init(direction: $0, requested: 1, completed: 1.25, frame: 7) }
        return PlaybackSummary.text(of: statistics, playedCount: 1, fileCount: 3)
    }

    @Test func filesAndFramesAreCounted() { #expect(summary([]) == "played 1 of 3: 60 frames shown, 2 dropped") }

    @Test func oneFrameIsCounted() {
        #expect(summary([], frameCount: 1) == "played 1 of 3: 1 frame shown, 2 dropped")
    }

    @Test func movesToPictureInPictureAreCounted() {
        #expect(summary([.toPictureInPicture]).hasSuffix("2 dropped, moved to Picture-in-Picture once"))
        #expect(
            summary([.toPictureInPicture, .toLayer, .toPictureInPicture, .lost])
                .hasSuffix("2 dropped, moved to Picture-in-Picture 2 times"))
    }
}
