import Testing

@testable import MediaPipeline
@testable import SwiftPlay

@Suite("Lining blocks of sound up with the item's time")
struct BlockAlignerTests {
    private let rate = 1000
    private let millisecond: Int64 = 1_000_000

    /// A block of ones, in stereo, at a time in milliseconds.
    private func block(at time: Int64, frames: Int, generation: UInt32 = 1) -> PCMBlock {
        PCMBlock(
            samples: [Float](repeating: 1, count: frames * 2), channels: 2, rate: rate,
            presentationTime: time * millisecond, generation: generation)
    }

    /// What is written of blocks, from 0 ms on: "." for a frame of silence and "1" for one of sound.
    private func write(
        _ blocks: [PCMBlock], end: Int64? = nil, _ aligner: inout BlockAligner
    ) -> (text: String, isOver: Bool) {
        var text = ""
        for block in blocks {
            aligner.expect(block.generation)
            var next: PCMBlock? = block
            while let present = next {
                let aligned = aligner.align(present, from: 0, to: end.map { $0 * millisecond })
                text += stride(from: aligned.samples.startIndex, to: aligned.samples.endIndex, by: 2)
                    .map { aligned.samples[$0] == 0 ? "." : "1" }.joined()
                if aligned.isLast { return (text, true) }
                next = aligner.takeHeld()
            }
        }
        return (text, false)
    }

    @Test("blocks that follow each other are written as they are; stamps that are off by less than 20 ms do not matter")
    func jitter() {
        var aligner = BlockAligner()
        let blocks = [block(at: 0, frames: 100), block(at: 119, frames: 100), block(at: 181, frames: 100)]
        #expect(write(blocks, &aligner).text == String(repeating: "1", count: 300))
        #expect(aligner.reached == 300 * millisecond)
    }

    @Test("the first block is lined up to the sample, and a gap or an overlap from 20 ms on")
    func gaps() {
        var aligner = BlockAligner()
        #expect(write([block(at: 3, frames: 5)], &aligner).text == "...11111")
        #expect(write([block(at: 40, frames: 2)], &aligner).text == String(repeating: ".", count: 32) + "11")
        #expect(write([block(at: 10, frames: 35)], &aligner).text == "111", "what was written already is cut")
        #expect(write([block(at: 0, frames: 10)], &aligner).text == "", "a block of the past is left out")
    }

    @Test("the first block of another track is lined up to the sample")
    func tracks() {
        var aligner = BlockAligner()
        _ = write([block(at: 0, frames: 10)], &aligner)
        #expect(write([block(at: 12, frames: 2, generation: 2)], &aligner).text == "..11")
        #expect(write([block(at: 16, frames: 2, generation: 2)], &aligner).text == "11", "the next ones are not")
    }

    @Test("a long gap is filled a second at a time, and the block comes after it")
    func longGap() {
        var aligner = BlockAligner()
        let written = write([block(at: 2500, frames: 2)], &aligner)
        #expect(written.text == String(repeating: ".", count: 2500) + "11")
        aligner.restart()
        let aligned = aligner.align(block(at: 2500, frames: 2), from: 0, to: nil)
        #expect(aligned.samples.count == 2000 && aligner.takeHeld() != nil)
    }

    @Test("the feed is over at its end, to the sample", arguments: [0, 1, 99, 100, 150])
    func end(end: Int64) {
        var aligner = BlockAligner()
        let (text, isOver) = write([block(at: 0, frames: 100), block(at: 100, frames: 100)], end: end, &aligner)
        #expect(text.count == Int(end) && isOver && aligner.reached == end * millisecond)
    }

    @Test("an end in the middle of a gap ends in silence")
    func endInGap() {
        var aligner = BlockAligner()
        let (text, isOver) = write([block(at: 5000, frames: 10)], end: 1500, &aligner)
        #expect(text == String(repeating: ".", count: 1500) && isOver && aligner.takeHeld() == nil)
    }
}
