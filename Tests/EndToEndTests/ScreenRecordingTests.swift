import TestSupport
import Testing

/// Tests which frames a screen recording counts as missed, with synthetic recordings.
@Suite("Screen recording")
struct ScreenRecordingTests {
    private static let frameInterval: Int64 = 33_000_000

    /// Returns a recording in which each frame in `frames` appears 33 ms times its number after the beginning: frame 3
    /// at 99 ms.
    private func recording(_ frames: [Int], stalls: [ClosedRange<Int64>] = []) -> ScreenRecording {
        ScreenRecording(
            frames.map { .init(time: Int64($0) * Self.frameInterval, window: .player, content: .frame($0)) },
            stalls: stalls)
    }

    @Test func framesThatNoWindowShowedAreMissed() {
        #expect(recording(Array(0...50)).missedFrameNumbers.isEmpty)
        #expect(recording(Array(0...50).filter { $0 != 20 && $0 != 30 }).missedFrameNumbers == [20, 30])
    }

    @Test("a stall of the recorder excuses only the frames within the stall")
    func framesWithinAStallOfTheRecorderAreNotMissed() {
        let shownFrames = Array(0...50).filter { !(20..<30).contains($0) }
        let makeStalls = { (length: Int) in [20 * Self.frameInterval...(20 + Int64(length)) * Self.frameInterval] }
        #expect(recording(shownFrames, stalls: makeStalls(1)).missedFrameNumbers == Array(21..<30))
        #expect(recording(shownFrames, stalls: makeStalls(10)).missedFrameNumbers.isEmpty)
        let laterStall = [40 * Self.frameInterval...42 * Self.frameInterval]
        #expect(recording(shownFrames, stalls: laterStall).missedFrameNumbers == Array(20..<30))
    }

    @Test func framesAreMissedIfTheRecorderStalledTooOften() {
        let stalls = stride(from: Int64(0), to: 50, by: 2).map {
            $0 * Self.frameInterval...($0 + 1) * Self.frameInterval
        }
        #expect(recording(Array(0...50).filter { $0 != 21 }, stalls: stalls).missedFrameNumbers == [21])
    }

    @Test func frameThatOnlyOneWindowShowedIsNotMissed() {
        let contentChanges = (0...20).map {
            ScreenRecording.ContentChange(
                time: Int64($0) * Self.frameInterval, window: $0 < 10 ? .player : .pictureInPicture,
                content: .frame($0))
        }
        #expect(ScreenRecording(contentChanges).missedFrameNumbers.isEmpty)
    }
}
