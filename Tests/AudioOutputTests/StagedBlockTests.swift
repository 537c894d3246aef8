import Testing

@testable import AudioOutput

@Suite struct StagedBlockTests {
    /// Returns a block of stereo frames with the samples 1 to 8. `ringIndex`: the ring buffer index of the first frame;
    /// nil for silence.
    private func block(frames: Int = 4, ringIndex: Int? = 100) -> StagedBlock {
        let block = StagedBlock(channels: 2, capacity: 4)
        for index in 0..<8 { block.samples[index] = Float(index + 1) }
        block.fill(frames: frames, ringIndex: ringIndex)
        return block
    }

    @Test("A new block is empty and silent")
    func newBlockIsEmptyAndSilent() {
        let block = StagedBlock(channels: 2, capacity: 4)
        #expect(block.framesLeft == 0 && block.ringIndex == nil)
        #expect((0..<8).allSatisfy { block.samples[$0] == 0 })
    }

    @Test("Consuming frames advances the samples and the ring index together")
    func consumingAdvancesSamplesAndRingIndexTogether() {
        let block = block()
        #expect(block.nextFrame[0] == 1)
        block.consume(3)
        #expect(block.framesLeft == 1 && block.ringIndex == 103)
        #expect(block.nextFrame[0] == 7 && block.nextFrame[1] == 8)
        block.consume(1)
        #expect(block.framesLeft == 0 && block.ringIndex == 104)
    }

    @Test("A silent block has no ring index after frames are consumed")
    func silentBlockHasNoRingIndexAfterConsuming() {
        let block = block(ringIndex: nil)
        block.consume(2)
        #expect(block.framesLeft == 2 && block.ringIndex == nil)
    }

    @Test("Only the remaining frames are silenced")
    func onlyTheRemainingFramesAreSilenced() {
        let block = block(frames: 3)
        block.consume(1)
        block.silence()
        #expect((0..<8).map { block.samples[$0] } == [1, 2, 0, 0, 0, 0, 7, 8])
        #expect(block.framesLeft == 2 && block.ringIndex == 101)
    }

    @Test("Filling starts again at the first frame")
    func fillingStartsAgainAtTheFirstFrame() {
        let block = block()
        block.consume(4)
        block.fill(frames: 2, ringIndex: 7)
        #expect(block.framesLeft == 2 && block.ringIndex == 7 && block.nextFrame[0] == 1)
    }

    @Test("Clearing discards the remaining frames and the ring index")
    func clearingDiscardsFramesAndRingIndex() {
        let block = block()
        block.consume(1)
        block.clear()
        #expect(block.framesLeft == 0 && block.ringIndex == nil)
    }
}
