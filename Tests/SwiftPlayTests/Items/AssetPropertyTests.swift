import Testing

@testable import MediaPipeline
@testable import SwiftPlay

@Suite struct AssetPropertyTests {
    /// Returns information about a file with the given tracks.
    private func makeMediaInfo(_ tracks: [MediaTrack] = [], _ change: (inout MediaInfo) -> Void = { _ in }) -> MediaInfo
    {
        var info = MediaInfo(container: "test", duration: nil, isSeekable: true, video: nil, audio: nil)
        info.tracks = tracks
        change(&info)
        return info
    }

    /// Returns a track with the given number and kind.
    private func makeTrack(
        _ id: Int, _ kind: MediaTrack.Kind, _ change: (inout MediaTrack) -> Void = { _ in }
    ) -> MediaTrack {
        var track = MediaTrack(id: id, kind: kind, codec: "codec")
        change(&track)
        return track
    }

    @Test("An unknown duration is indefinite, and a known one is exact")
    func unknownDurationIsIndefiniteAndKnownDurationIsExact() {
        #expect(AssetProperty.duration.value(makeMediaInfo()) == .indefinite)
        let infoWithDuration = makeMediaInfo { $0.duration = 1_500_000_000 }
        #expect(AssetProperty.duration.value(infoWithDuration) == MediaTime(nanoseconds: 1_500_000_000))
    }

    @Test("Tracks of separate files do not belong to the asset")
    func tracksOfSeparateFilesAreNotTracksOfTheAsset() {
        let tracks = [makeTrack(2, .video), makeTrack(0, .audio), makeTrack(9, .subtitle) { $0.location = "/a.srt" }]
        #expect(AssetProperty.tracks.value(makeMediaInfo(tracks)).map(\.trackID) == [2, 0])
    }

    @Test("An asset is playable with a decoder for video or for audio")
    func assetIsPlayableWithADecoderForVideoOrAudio() {
        func isPlayable(_ tracks: MediaTrack...) -> Bool { AssetProperty.isPlayable.value(makeMediaInfo(tracks)) }
        #expect(!isPlayable())
        #expect(isPlayable(makeTrack(0, .audio)) && isPlayable(makeTrack(0, .video)))
        #expect(!isPlayable(makeTrack(0, .subtitle)), "subtitles alone are nothing to play")
        #expect(!isPlayable(makeTrack(0, .video) { $0.hasDecoder = false }))
        #expect(isPlayable(makeTrack(0, .video) { $0.hasDecoder = false }, makeTrack(1, .audio)))
        #expect(!isPlayable(makeTrack(0, .audio) { $0.location = "/a.mka" }), "a separate file is not the asset")
    }

    @Test("Tags keep their order and may repeat")
    func metadataKeepsTheOrderOfTags() {
        let infoWithTags = makeMediaInfo {
            $0.tags = [("title", "A"), ("artist", "B"), ("title", "C")].map { MediaInfo.Tag(key: $0.0, value: $0.1) }
        }
        let items = AssetProperty.metadata.value(infoWithTags)
        #expect(items.map(\.key) == ["title", "artist", "title"] && items.map(\.stringValue) == ["A", "B", "C"])
        #expect(items.allSatisfy { $0.dataValue == nil && $0.extendedLanguageTag == "und" })
    }

    @Test("A chapter covers the time from its start to its end")
    func chapterCoversTheTimeFromItsStartToItsEnd() {
        let infoWithChapters = makeMediaInfo {
            $0.chapters = [
                .init(start: 0, end: 2_000_000_000, title: "One"),
                .init(start: 2_000_000_000, end: 5_000_000_000, title: nil),
            ]
        }
        let chapters = AssetProperty.chapters.value(infoWithChapters)
        #expect(chapters.map(\.title) == ["One", nil])
        #expect(chapters[1].timeRange.start == MediaTime(nanoseconds: 2_000_000_000))
        #expect(chapters[1].timeRange.duration == MediaTime(nanoseconds: 3_000_000_000))
    }

    @Test("A track without a stated language has no language tag; a stated one becomes a BCP 47 tag")
    func statedTrackLanguageBecomesBCP47Tag() {
        #expect(AssetTrack(makeTrack(0, .audio)).extendedLanguageTag == nil)
        #expect(AssetTrack(makeTrack(0, .audio) { $0.language = "ger" }).extendedLanguageTag == "de")
    }

    @Test("Tracks with the same number and other properties differ")
    func tracksWithDifferentPropertiesAreNotEqual() {
        let untitledTrack = AssetTrack(makeTrack(0, .audio)),
            titledTrack = AssetTrack(makeTrack(0, .audio) { $0.title = "Commentary" })
        #expect(untitledTrack != titledTrack && untitledTrack == AssetTrack(makeTrack(0, .audio)))
        #expect(Set([untitledTrack, titledTrack]).count == 2)
    }
}
