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
        fade.isOpening = false
        advance(50)
        #expect(fade.framesLeft == 50)
        fade.isOpening = true
        advance(238)
        #expect(fade.isOpen)
        #expect(before == 1)
        fade.isOpening = false
        advance(288)
        #expect(fade.isClosed)
        #expect(before == 0)
        #expect(largest < 0.006)
    }
}
