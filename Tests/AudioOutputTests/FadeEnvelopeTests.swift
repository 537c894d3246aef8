import Testing

@testable import AudioOutput

@Suite struct FadeEnvelopeTests {
    @Test func fadeOpensClosesAndReversesWithoutAStep() {
        var fade = FadeEnvelope(length: 288)
        var previousFactor: Float = 0, largestStep: Float = 0
        func advance(_ frames: Int) {
            for _ in 0..<frames {
                let factor = fade.nextFactor()
                largestStep = max(largestStep, abs(factor - previousFactor))
                previousFactor = factor
            }
        }
        advance(100)
        fade.isFadingIn = false
        advance(50)
        #expect(fade.framesLeft == 50)
        fade.isFadingIn = true
        advance(238)
        #expect(fade.isFadeInComplete)
        #expect(previousFactor == 1)
        fade.isFadingIn = false
        advance(288)
        #expect(fade.isFadeOutComplete)
        #expect(previousFactor == 0)
        #expect(largestStep < 0.006)
    }

    @Test("a fade has at least one frame", arguments: [0, -1, Int.min])
    func fadeHasAtLeastOneFrame(length: Int) {
        var fade = FadeEnvelope(length: length)
        #expect(fade.length == 1 && fade.framesLeft == 1 && !fade.isFadeInComplete)
        let factor = fade.nextFactor()
        #expect(factor == 1 && fade.isFadeInComplete && fade.framesLeft == 0)
    }

    @Test("a reset restarts the fade-in from silence")
    func resetRestartsFromSilence() {
        var fade = FadeEnvelope(length: 4)
        var samples = [Float](repeating: 1, count: 12)
        samples.withUnsafeMutableBufferPointer {
            if let base = $0.baseAddress { fade.apply(to: base, frames: 6, channels: 2) }
        }
        #expect(zip(samples, samples.dropFirst(2)).allSatisfy { $0 <= $1 } && samples.suffix(6) == [1, 1, 1, 1, 1, 1])
        #expect(fade.isFadeInComplete)
        fade.reset()
        #expect(fade.framesLeft == 4 && !fade.isFadeInComplete && !fade.isFadeOutComplete)
        fade.isFadingIn = false
        #expect(fade.isFadeOutComplete)
    }
}
