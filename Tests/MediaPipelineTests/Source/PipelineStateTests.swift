import Testing

@testable import MediaPipeline

/// Tests that only the newest decoder run of each media kind is current, in any order of track selections. A decoder
/// run lasts from the selection of a track until the next selection of a track of the same kind.
@Suite struct PipelineStateTests {
    @Test func selectingATrackEndsThePreviousDecoderRun() {
        var state = PipelineState()
        let videoRun = state.beginRun(.video, track: 0), audioRun = state.beginRun(.audio, track: 1)
        #expect(state.isCurrent(videoRun) && state.isCurrent(audioRun))
        #expect(state.packets.hasTrack(0) && state.packets.hasTrack(1))
        let newerAudioRun = state.beginRun(.audio, track: 2)
        #expect(state.isCurrent(videoRun) && !state.isCurrent(audioRun) && state.isCurrent(newerAudioRun))
        #expect(
            !state.packets.hasTrack(1) && state.packets.hasTrack(2)
                && state.tracks.decodedTracks == [.video: 0, .audio: 2])
        state.endRun(.audio)
        #expect(!state.isCurrent(newerAudioRun) && state.tracks.decodedTracks == [.video: 0])
        state.isClosed = true
        #expect(!state.isCurrent(videoRun) && state.isReadingObsolete)
    }

    @Test func aSubtitleTrackEndsOnlyTheDecoderOfItsLayer() throws {
        var state = PipelineState()
        let firstRuns = SubtitleLayer.allCases.map { state.subtitles.select(3, layer: $0) }
        let primaryRun = try #require(firstRuns.first ?? nil), secondaryRun = try #require(firstRuns.last ?? nil)
        #expect(state.isCurrent(primaryRun) && state.isCurrent(secondaryRun) && !state.packets.hasTrack(3))
        #expect(state.subtitles.tracks == [3, 3])
        let selectedRun = state.subtitles.select(4, layer: .secondary), newerRun = try #require(selectedRun)
        #expect(state.isCurrent(primaryRun) && !state.isCurrent(secondaryRun) && state.isCurrent(newerRun))
        let noRun = state.subtitles.select(nil, layer: .primary)
        #expect(noRun == nil && !state.isCurrent(primaryRun))
        #expect(state.subtitles.tracks == [4])
        state.isClosed = true
        #expect(!state.isCurrent(newerRun))
    }

    /// Selects random tracks: for each media kind, only the ``DecoderRun`` of the track selected last is current.
    @Test(arguments: [1, 2, 3] as [UInt64]) func onlyTheDecoderRunsOfTheNewestSelectionAreCurrent(seed: UInt64) {
        var random = SeededRandom(seed: seed), state = PipelineState()
        var currentRuns: [MediaTrack.Kind: (decoderRun: DecoderRun, track: Int)] = [:], obsoleteRuns: [DecoderRun] = []
        for step in 0..<500 {
            let kind: MediaTrack.Kind = random.next(2) == 0 ? .video : .audio
            if let decoderRun = currentRuns.removeValue(forKey: kind)?.decoderRun { obsoleteRuns.append(decoderRun) }
            if random.next(4) == 0 {
                state.endRun(kind)
            } else {
                let track = 10 * (MediaTrack.Kind.allCases.firstIndex(of: kind) ?? 0) + random.next(4)
                currentRuns[kind] = (state.beginRun(kind, track: track), track)
            }
            #expect(
                currentRuns.values.allSatisfy { state.isCurrent($0.decoderRun) }
                    && !obsoleteRuns.contains { state.isCurrent($0) },
                "seed \(seed), step \(step)")
            #expect(state.tracks.decodedTracks == currentRuns.mapValues(\.track), "seed \(seed), step \(step)")
            let playedTracks = currentRuns.values.map(\.track)
            #expect(
                (0..<40).filter { state.packets.hasTrack($0) } == playedTracks.sorted(), "seed \(seed), step \(step)")
        }
    }

    /// A random number generator whose numbers depend only on the seed.
    private struct SeededRandom {
        private var state: UInt64
        init(seed: UInt64) { state = seed }
        /// Returns a pseudo-random number from 0 to `count` - 1.
        mutating func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
    }
}
