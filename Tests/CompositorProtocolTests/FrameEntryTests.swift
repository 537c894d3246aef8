import SharedFrames
import Testing

@testable import CompositorProtocol

@Suite struct FrameEntryTests {
    @Test func frameAndReleaseEntriesOfTheRingRoundTrip() {
        let numbers: [UInt32] = [0, 1, 0x8000_0000, .max]
        let times: [Int64] = [0, -1, .min, .max]
        for slot in numbers {
            for format in numbers {
                for time in times {
                    let entry = FrameEntry(
                        frame: .max, slot: slot, format: format, presentationTime: time, hostTime: ~time)
                    #expect(FrameEntry(entry.entry) == entry)
                }
            }
        }
        for time in times {
            #expect(
                ReleasedFrame(ReleasedFrame(frame: 7, shownAt: time).entry) == ReleasedFrame(frame: 7, shownAt: time))
        }
    }

    @Test func largestNumberOfUnreleasedFramesFitsIntoRing() {
        #expect(FrameEntry.heldFrameLimit <= Int(SharedRing.capacity))
    }
}
