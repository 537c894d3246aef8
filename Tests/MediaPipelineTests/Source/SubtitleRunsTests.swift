import Testing

@testable import MediaPipeline

@Suite struct SubtitleRunsTests {
    /// Selects a track, and returns the identity of its decoder.
    private func select(_ track: Int, _ layer: SubtitleLayer, _ runs: inout SubtitleRuns) throws -> SubtitleRun {
        let run = runs.select(track, layer: layer)
        return try #require(run)
    }

    @Test("a decoder is current until another track of its layer is selected")
    func decoderIsCurrentUntilAnotherSelection() throws {
        var runs = SubtitleRuns()
        let first = try select(3, .primary, &runs)
        let second = try select(4, .secondary, &runs)
        #expect(runs.isCurrent(first) && runs.isCurrent(second) && runs.tracks == [3, 4])
        let third = try select(3, .primary, &runs)
        #expect(!runs.isCurrent(first) && runs.isCurrent(third) && runs.isCurrent(second), "even for the same track")
        #expect(runs.tracks == [3, 4])
    }

    @Test("selecting no track ends the decoder of the layer")
    func selectingNoTrackEndsTheDecoder() throws {
        var runs = SubtitleRuns()
        #expect(runs.tracks == [])
        let run = try select(3, .secondary, &runs)
        let noRun = runs.select(nil, layer: .secondary)
        #expect(noRun == nil && !runs.isCurrent(run) && runs.tracks == [])
    }

    @Test("decoders of different layers are never confused")
    func layersHaveDecodersOfTheirOwn() throws {
        var runs = SubtitleRuns()
        let primary = try select(1, .primary, &runs)
        #expect(!runs.isCurrent(SubtitleRun(layer: .secondary, number: primary.number)))
    }
}
