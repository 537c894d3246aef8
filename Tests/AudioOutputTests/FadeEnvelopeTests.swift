import Testing

@testable import AudioOutput

@Suite struct FadeEnvelopeTests {
    @Test func fadeOpensClosesAndReversesWithoutAStep() {
        var fade = FadeEnvelope(length: 288)
        var before: Float = 0, largest: Float = 0
        func advance(_ frames: Int) {
            for _ in 0..<frames {
                let factor = fade.next()
                largest = max(largest, abs(factor - before))
                before = factor
            }
        }
        advance(100)
        fade.isFadingIn = false
        advance(50)
        #expect(fade.framesLeft == 50)
        fade.isFadingIn = true
        advance(238)
        #expect(fade.isFadeInComplete)
        #expect(before == 1)
        fade.isFadingIn = false
        advance(288)
        #expect(fade.isFadeOutComplete)
        #expect(before == 0)
        #expect(largest < 0.006)
    }
}
