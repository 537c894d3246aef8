import Testing

@testable import MediaPipeline

@Suite struct MissingPartsTests {
    /// A second in nanoseconds.
    private static let second: Int64 = 1_000_000_000
    private let error = MediaError(.notFound, "b.ts cannot be opened")

    /// Simulates reading packets of 40 ms from two tracks. Returns the missing time ranges that `parts` reports.
    ///
    /// - Parameters:
    ///   - range: The time range of the packets in seconds.
    ///   - jumpCount: The number of timestamp jumps so far.
    private func read(_ parts: inout MissingParts, _ range: Range<Int64>, jumpCount: Int = 0) -> [MissingParts.Gap] {
        stride(from: range.lowerBound * Self.second, to: range.upperBound * Self.second, by: 40_000_000).flatMap {
            time in
            [0, 1].compactMap { parts.recordPacket(stream: $0, at: time, duration: 40_000_000, jumpCount: jumpCount) }
        }
    }

    @Test func failedPartIsReportedImmediatelyAndAtTheEnd() {
        var parts = MissingParts()
        #expect(read(&parts, 0..<4) == [])
        parts.recordFailedPart("b.ts", error)
        let gap = MissingParts.Gap(start: 4 * Self.second, end: 8 * Self.second, error: error)
        #expect(read(&parts, 8..<12) == [gap], "the gap is reported once, although it affects both tracks")
        parts.recordOpenedPart("c.ts")
        #expect(parts.gap(atEnd: 12 * Self.second, readsOtherTracks: true) == gap)
        #expect(
            gap.warning(origin: Self.second).message == "a part is missing from 3.0 s to 7.0 s: b.ts cannot be opened")
    }

    @Test func partOfASuccessfulSecondRequestIsNotReported() {
        var parts = MissingParts()
        _ = read(&parts, 0..<4)
        parts.recordFailedPart("b.ts", error)
        parts.recordOpenedPart("b.ts")
        #expect(read(&parts, 4..<8) == [] && parts.gap(atEnd: 8 * Self.second, readsOtherTracks: false) == nil)
        // The second request for the part used a connection that was still open, so FFmpeg did not report that the part
        // was opened.
        parts.recordFailedPart("c.ts", error)
        #expect(read(&parts, 8..<12) == [] && parts.gap(atEnd: 12 * Self.second, readsOtherTracks: false) == nil)
    }

    @Test func failedLastPartIsReportedUnlessOtherTracksAreComplete() {
        var parts = MissingParts()
        _ = read(&parts, 0..<8)
        parts.recordFailedPart("c.ts", error)
        let gap = MissingParts.Gap(start: 8 * Self.second, end: nil, error: error)
        #expect(parts.gap(atEnd: 8 * Self.second, readsOtherTracks: false) == gap, "only the played tracks are read")
        #expect(parts.gap(atEnd: 12 * Self.second, readsOtherTracks: true) == gap, "the item is too short")
        #expect(parts.gap(atEnd: 8 * Self.second, readsOtherTracks: true) == nil, "a part of a subtitle rendition")
        #expect(parts.gap(atEnd: nil, readsOtherTracks: true) == gap, "the length is unknown")
    }

    @Test func segmentsAfterAMissingKeyAreReported() {
        var parts = MissingParts()
        _ = read(&parts, 0..<4)
        parts.recordFailedPart("second.key", error)
        for name in ["b.ts", "c.ts"] { parts.recordOpenedPart(name) }
        #expect(parts.gap(atEnd: 12 * Self.second, readsOtherTracks: false)?.start == 4 * Self.second)
    }

    @Test func missingStartIsDetectedByTheDuration() {
        var parts = MissingParts()
        parts.recordFailedPart("a.ts", error)
        _ = read(&parts, 0..<8)
        #expect(parts.gap(atEnd: 12 * Self.second, readsOtherTracks: false) != nil)
        #expect(parts.gap(atEnd: 8 * Self.second, readsOtherTracks: false) == nil)
    }

    @Test func aTimestampJumpAfterAFailedPartIsReported() {
        var parts = MissingParts()
        _ = read(&parts, 0..<4)
        parts.recordFailedPart("b.ts", error)
        #expect(read(&parts, 4..<8, jumpCount: 1).count == 1)
    }

    @Test func timestampGapsWithoutAFailedPartAreNotReported() {
        var parts = MissingParts()
        #expect(read(&parts, 0..<4) == [] && read(&parts, 9..<12, jumpCount: 1) == [])
        #expect(parts.gap(atEnd: 20 * Self.second, readsOtherTracks: false) == nil)
    }

    @Test func partMarkedAsAGapIsNotReported() {
        var parts = MissingParts()
        parts.addIntentionalGaps(["1.ts"])
        parts.restart()
        parts.recordFailedPart("/films/1.ts", error)
        #expect(read(&parts, 0..<4) == [])
        parts.recordFailedPart("1.ts", error)
        #expect(read(&parts, 8..<12) == [] && parts.gap(atEnd: 20 * Self.second, readsOtherTracks: false) == nil)
        parts.recordFailedPart("/films/11.ts", error)
        #expect(read(&parts, 16..<20).count == 1, "a different part")
    }

    @Test func regularPausesBetweenPacketsAreNotReported() {
        var parts = MissingParts()
        for time in 0..<4 as Range<Int64> {
            _ = parts.recordPacket(stream: 0, at: time * 2 * Self.second, duration: 0, jumpCount: 0)
        }
        parts.recordFailedPart("subtitles.vtt", error)
        #expect(
            parts.recordPacket(stream: 0, at: 8 * Self.second, duration: 0, jumpCount: 0) == nil,
            "a picture every two seconds")
    }

    @Test func aSeekDiscardsMissingAndFailedParts() {
        var parts = MissingParts()
        _ = read(&parts, 0..<4)
        parts.recordFailedPart("b.ts", error)
        _ = read(&parts, 8..<12)
        parts.restart()
        #expect(parts.gap(atEnd: 20 * Self.second, readsOtherTracks: false) == nil && parts.failures.isEmpty)
        for number in 0..<1000 { parts.recordFailedPart("\(number).ts", error) }
        #expect(parts.failures.count == MissingParts.limit)
    }
}
