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
}
