import Testing

@testable import MediaPipeline
@testable import SwiftPlay

@Suite("BlockAligner: alignment of audio blocks with the item's time")
struct BlockAlignerTests {
    /// The sample rate in hertz; one audio frame lasts one millisecond.
    private let sampleRate = 1000
    /// One millisecond in nanoseconds.
    private let millisecond: Int64 = 1_000_000

    /// Returns a block of stereo audio that begins at `time` milliseconds and whose samples are all 1.
    private func block(at time: Int64, frames: Int, generation: UInt32 = 1) -> PCMBlock {
        PCMBlock(
            samples: [Float](repeating: 1, count: frames * 2), channels: 2, rate: sampleRate,
            presentationTime: time * millisecond, generation: generation)
    }

    /// Returns one character for each audio frame that the aligner writes for the blocks: "." for silence, "1" for
    /// audio. `hasReachedEnd` is true if the aligner has reached the end time `end` (in milliseconds).
    private func writtenFrames(
        _ blocks: [PCMBlock], end: Int64? = nil, _ aligner: inout BlockAligner
    ) -> (text: String, hasReachedEnd: Bool) {
        var text = ""
        for block in blocks {
            aligner.setGeneration(block.generation)
            var pendingBlock: PCMBlock? = block
            while let currentBlock = pendingBlock {
                let alignedAudio = aligner.align(currentBlock, from: 0, to: end.map { $0 * millisecond })
                text += stride(from: alignedAudio.samples.startIndex, to: alignedAudio.samples.endIndex, by: 2)
                    .map { alignedAudio.samples[$0] == 0 ? "." : "1" }.joined()
                if alignedAudio.isLast { return (text, true) }
                pendingBlock = aligner.takeWaitingBlock()
            }
        }
        return (text, false)
    }

    @Test("successive blocks are written unchanged; timestamp errors below 20 ms are ignored")
    func timestampErrorsBelow20MillisecondsAreIgnored() {
        var aligner = BlockAligner()
        let blocks = [block(at: 0, frames: 100), block(at: 119, frames: 100), block(at: 181, frames: 100)]
        #expect(writtenFrames(blocks, &aligner).text == String(repeating: "1", count: 300))
        #expect(aligner.alignedEndTime == 300 * millisecond)
    }

    @Test("the first block is aligned to the sample; gaps and overlaps are corrected from 20 ms on")
    func gapsAndOverlapsOf20MillisecondsAreCorrected() {
        var aligner = BlockAligner()
        #expect(writtenFrames([block(at: 3, frames: 5)], &aligner).text == "...11111")
        #expect(writtenFrames([block(at: 40, frames: 2)], &aligner).text == String(repeating: ".", count: 32) + "11")
        #expect(
            writtenFrames([block(at: 10, frames: 35)], &aligner).text == "111",
            "the part that was already written is cut")
        #expect(writtenFrames([block(at: 0, frames: 10)], &aligner).text == "", "a block in the past is dropped")
    }

    @Test("the first block of another track is aligned to the sample")
    func firstAudioBlockOfAnotherTrackIsAligned() {
        var aligner = BlockAligner()
        _ = writtenFrames([block(at: 0, frames: 10)], &aligner)
        #expect(writtenFrames([block(at: 12, frames: 2, generation: 2)], &aligner).text == "..11")
        #expect(
            writtenFrames([block(at: 16, frames: 2, generation: 2)], &aligner).text == "11",
            "the following blocks are not aligned")
    }

    @Test("a long gap is filled one second at a time, before the block")
    func longGapIsFilledOneSecondAtATime() {
        var aligner = BlockAligner()
        let result = writtenFrames([block(at: 2500, frames: 2)], &aligner)
        #expect(result.text == String(repeating: ".", count: 2500) + "11")
        aligner.restart()
        let alignedAudio = aligner.align(block(at: 2500, frames: 2), from: 0, to: nil)
        #expect(alignedAudio.samples.count == 2000 && aligner.takeWaitingBlock() != nil)
    }

    @Test("the audio ends at its end time, to the sample", arguments: [0, 1, 99, 100, 150])
    func audioEndsAtTheRequestedEndTime(end: Int64) {
        var aligner = BlockAligner()
        let (text, hasReachedEnd) = writtenFrames(
            [block(at: 0, frames: 100), block(at: 100, frames: 100)], end: end, &aligner)
        #expect(text.count == Int(end) && hasReachedEnd && aligner.alignedEndTime == end * millisecond)
    }

    @Test("audio whose end lies within a gap ends with silence")
    func audioEndsWithSilenceIfItsEndTimeLiesInAGap() {
        var aligner = BlockAligner()
        let (text, hasReachedEnd) = writtenFrames([block(at: 5000, frames: 10)], end: 1500, &aligner)
        #expect(text == String(repeating: ".", count: 1500) && hasReachedEnd && aligner.takeWaitingBlock() == nil)
    }
}
