import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct WebVTTSampleTests {
    private typealias Sample = WebVTTSegment.Sample

    /// Returns the cues of a segment of samples that lasts 10 ns.
    private func cues(_ samples: [Sample]) -> [WebVTTCue] { WebVTTSegment(samples: samples, duration: 10).cues }
    private func cue(_ start: Int64, _ end: Int64, _ text: String) -> WebVTTCue {
        WebVTTCue(start: start, end: end, text: text)
    }

    @Test("a cue lasts until the sample without it, and the last sample until the end of the segment")
    func cuesLastUntilTheNextSample() {
        let firstCue = MP4Subtitles.cue("One"), secondCue = MP4Subtitles.cue("Two"),
            emptySample = MP4Subtitles.box("vtte")
        let samples = [
            Sample(start: 0, content: firstCue), Sample(start: 2, content: secondCue + firstCue),
            Sample(start: 3, content: emptySample),
            Sample(start: 4, content: firstCue),
        ]
        #expect(cues(samples) == [cue(0, 3, "One"), cue(2, 3, "Two"), cue(4, 10, "One")])
        #expect(cues([Sample(start: 4, duration: 1, content: firstCue)]) == [cue(4, 5, "One")])
    }

    @Test("an invalid box ends a sample, and never causes a crash") func invalidBoxesAreIgnored() {
        let firstCue = MP4Subtitles.cue("One")
        #expect(cues([Sample(start: 0, content: firstCue + [0, 0, 0, 7] + firstCue)]) == [cue(0, 10, "One")])
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            var bytes = firstCue + MP4Subtitles.cue("Two")
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            #expect(
                cues([
                    Sample(start: 0, content: Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))))
                ]).count <= 2)
        }
    }
}
