import TestSupport
import Testing

/// What counts as a missed frame, on recordings made by hand.
@Suite("Screen recording")
struct ScreenRecordingTests {
    private static let interval: Int64 = 33_000_000

    /// A recording in which each of `frames` appears at its time.
    private func recording(_ frames: [Int], blinks: [ClosedRange<Int64>] = []) -> ScreenRecording {
        ScreenRecording(
            frames.map { .init(time: Int64($0) * Self.interval, window: .player, content: .frame($0)) }, blinks: blinks)
    }

    @Test func framesThatNoWindowShowedAreMissed() {
        #expect(recording(Array(0...50)).missed.isEmpty)
        #expect(recording(Array(0...50).filter { $0 != 20 && $0 != 30 }).missed == [20, 30])
    }

    @Test("a stall of the recorder excuses the frames that pass within it, and no others")
    func aStallIsBounded() {
        let seen = Array(0...50).filter { !(20..<30).contains($0) }
        let stall = { (length: Int) in [20 * Self.interval...(20 + Int64(length)) * Self.interval] }
        #expect(recording(seen, blinks: stall(1)).missed == Array(21..<30))
        #expect(recording(seen, blinks: stall(10)).missed.isEmpty)
        #expect(recording(seen, blinks: [40 * Self.interval...42 * Self.interval]).missed == Array(20..<30))
    }

    @Test func aRecorderThatStalledTooOftenExcusesNothing() {
        let stalls = stride(from: Int64(0), to: 50, by: 2).map { $0 * Self.interval...($0 + 1) * Self.interval }
        #expect(recording(Array(0...50).filter { $0 != 21 }, blinks: stalls).missed == [21])
    }

    @Test func aFrameThatOnlyOneWindowShowedIsNotMissed() {
        let sightings = (0...20).map {
            ScreenRecording.Sighting(
                time: Int64($0) * Self.interval, window: $0 < 10 ? .player : .pictureInPicture, content: .frame($0))
        }
        #expect(ScreenRecording(sightings).missed.isEmpty)
    }
}
