import Testing

@testable import AudioOutput

@Suite struct DeclickerTests {
    /// Returns the samples with which the declicker replaces missing frames.
    private func replacementSamples(_ declicker: Declicker, frames: Int, channels: Int) -> [Float] {
        var samples = [Float](repeating: 9, count: frames * channels)
        samples.withUnsafeMutableBufferPointer {
            if let base = $0.baseAddress { declicker.fill(base, frames: frames) }
        }
        return samples
    }

    @Test("Missing frames are silent before any frame was played")
    func missingFramesBeforePlaybackAreSilent() {
        let declicker = Declicker(format: AudioFormat(rate: 48_000, channels: 2))
        #expect(replacementSamples(declicker, frames: 4, channels: 2).allSatisfy { $0 == 0 })
    }

    @Test(
        "The last sample decays to -60 dB within 4 ms at every rate, and not within 3 ms",
        arguments: [8000, 44_100, 48_000, 192_000])
    func lastSampleDecaysBy60DecibelsWithinFourMilliseconds(rate: Int) {
        let declicker = Declicker(format: AudioFormat(rate: rate, channels: 1))
        declicker.storeLastFrame([1], frames: 1)
        let samples = replacementSamples(declicker, frames: rate / 250, channels: 1)
        #expect(samples[rate / 250 - 1] < 0.001)
        #expect(samples[rate * 3 / 1000 - 1] > 0.001)
        #expect(zip(samples, samples.dropFirst()).allSatisfy { $0 > $1 }, "the decay has no step upwards")
    }

    @Test("Each channel decays from its own last sample")
    func eachChannelDecaysFromItsOwnLastSample() {
        let declicker = Declicker(format: AudioFormat(rate: 48_000, channels: 2))
        declicker.storeLastFrame([0.1, 0.2, 0.5, -0.5], frames: 2)
        let samples = replacementSamples(declicker, frames: 1, channels: 2)
        #expect(samples[0] > 0.4 && samples[0] < 0.5)
        #expect(samples[1] == -samples[0])
    }

    @Test("The decay continues in the next block")
    func decayContinuesInTheNextBlock() {
        let format = AudioFormat(rate: 48_000, channels: 1)
        let singleBlockDeclicker = Declicker(format: format), twoBlockDeclicker = Declicker(format: format)
        singleBlockDeclicker.storeLastFrame([0.8], frames: 1)
        twoBlockDeclicker.storeLastFrame([0.8], frames: 1)
        let expected = replacementSamples(singleBlockDeclicker, frames: 96, channels: 1)
        #expect(
            replacementSamples(twoBlockDeclicker, frames: 40, channels: 1)
                + replacementSamples(twoBlockDeclicker, frames: 56, channels: 1)
                == expected)
    }

    @Test("The decay ends at exactly zero, without denormal samples")
    func decayEndsAtExactlyZero() {
        let declicker = Declicker(format: AudioFormat(rate: 48_000, channels: 1))
        declicker.storeLastFrame([-1], frames: 1)
        let samples = replacementSamples(declicker, frames: 4800, channels: 1)
        #expect(samples.last == 0)
        #expect(samples.allSatisfy { $0 == 0 || abs($0) > 1e-6 })
    }

    @Test("The last frame stays the same when no frames are stored")
    func storingNoFramesKeepsTheLastFrame() {
        let declicker = Declicker(format: AudioFormat(rate: 48_000, channels: 1))
        declicker.storeLastFrame([0.5], frames: 1)
        declicker.storeLastFrame([0], frames: 0)
        #expect(replacementSamples(declicker, frames: 1, channels: 1)[0] > 0.4)
    }

    @Test("Missing frames are silent after a reset")
    func missingFramesAfterAResetAreSilent() {
        let declicker = Declicker(format: AudioFormat(rate: 48_000, channels: 2))
        declicker.storeLastFrame([1, -1], frames: 1)
        declicker.reset()
        #expect(replacementSamples(declicker, frames: 2, channels: 2) == [0, 0, 0, 0])
    }
}
