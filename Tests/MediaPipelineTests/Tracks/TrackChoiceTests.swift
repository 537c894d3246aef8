import Testing

@testable import MediaPipeline

@Suite struct TrackChoiceTests {
    /// Returns a track with the given number, kind and language.
    private func track(
        _ id: Int, _ kind: MediaTrack.Kind, _ language: String? = nil, configure: (inout MediaTrack) -> Void = { _ in }
    ) -> MediaTrack {
        var track = MediaTrack(id: id, kind: kind, codec: "x")
        track.language = language
        configure(&track)
        return track
    }

    @Test func audioIsChosenByNumberThenLanguageThenFlags() {
        let tracks = [
            track(0, .video), track(1, .audio, "eng"), track(2, .audio, "deu") { $0.isDefault = true },
            track(3, .audio, "fre"),
        ]
        var choice = TrackChoice()
        #expect(choice.choose(.audio, among: tracks, fallback: 3)?.id == 2)
        choice.audioLanguages = ["ja", "fr", "en"]
        #expect(choice.choose(.audio, among: tracks, fallback: 1)?.id == 3)
        choice.selections.audio = .number(1)
        #expect(choice.choose(.audio, among: tracks)?.id == 1)
        choice.selections.audio = .number(4)
        #expect(choice.choose(.audio, among: tracks) == nil)
        choice.selections.audio = .off
        #expect(choice.choose(.audio, among: tracks) == nil)
    }

    @Test func subtitlesAreChosenOnlyByLanguageFlagOrExternalFile() {
        let embeddedTracks = [
            track(0, .subtitle, "eng"), track(1, .subtitle, "deu") { $0.isForced = true }, track(2, .subtitle, "deu"),
        ]
        var choice = TrackChoice()
        #expect(choice.choose(.subtitle, among: Array(embeddedTracks[2...])) == nil)
        #expect(choice.choose(.subtitle, among: embeddedTracks)?.id == 1, "forced subtitles are shown")
        choice.subtitleLanguages = ["de-AT"]
        #expect(choice.choose(.subtitle, among: embeddedTracks)?.id == 2, "full subtitles precede forced ones")
        choice.subtitleLanguages = []
        let allTracks = embeddedTracks + [track(MediaTrack.firstFileID, .subtitle) { $0.location = "film.srt" }]
        #expect(choice.choose(.subtitle, among: allTracks)?.id == MediaTrack.firstFileID)
        choice.usesSubtitleFlags = false
        #expect(choice.choose(.subtitle, among: allTracks) == nil)
    }

    @Test("forced subtitles are shown in the language of the played audio, unless a stream forbids the choice")
    func forcedSubtitlesMatchTheAudio() {
        let subtitles = ["fra", "de", nil].enumerated().map { index, language in
            track(10 + index, .subtitle, language) { $0.isForced = true }
        }
        let tracks = [track(0, .audio, "deu"), track(1, .audio, "fra")] + subtitles
        var choice = TrackChoice()
        #expect(choice.choose(.subtitle, among: tracks)?.id == 11)
        choice.audioLanguages = ["fr"]
        #expect(choice.choose(.subtitle, among: tracks)?.id == 10)
        choice.audioLanguages = []
        let tracksWithoutAutoselect = tracks.map { originalTrack in
            track(originalTrack.id, originalTrack.kind, originalTrack.language) {
                ($0.isForced, $0.isAutoselect) = (originalTrack.isForced, originalTrack.id != 11)
            }
        }
        #expect(
            choice.choose(.subtitle, among: tracksWithoutAutoselect)?.id == 12,
            "subtitles without a language fit all audio")
        choice.subtitleLanguages = ["de"]
        #expect(choice.choose(.subtitle, among: tracksWithoutAutoselect)?.id == 11)
    }

    @Test func aCoverIsChosenOnlyWithoutOtherVideo() {
        let cover = track(1, .video) { $0.isAttachedPicture = true }
        #expect(TrackChoice().choose(.video, among: [cover, track(2, .video)])?.id == 2)
        #expect(TrackChoice().choose(.video, among: [cover])?.id == 1)
    }

    @Test func anUndecodableTrackIsNotChosen() {
        let undecodableTrack = track(0, .subtitle, "eng") { ($0.isPlayable, $0.isDefault) = (false, true) }
        var choice = TrackChoice()
        #expect(choice.choose(.subtitle, among: [undecodableTrack]) == nil)
        choice.selections.subtitle = .number(1)
        #expect(choice.choose(.subtitle, among: [undecodableTrack]) == nil)
    }

    @Test(arguments: [
        ("eng", "en", true), ("en-US", "en", true), ("en", "en-GB", true), ("en-US", "en-GB", false),
        ("ger", "deu", true), ("deu", "en", false),
        ("", "", false), ("pt_BR", "por", true), ("tlh", "tlh", true),
    ]) func languagesMatch(_ tag: String, _ requested: String, _ expected: Bool) {
        #expect(LanguageTag.matches(tag, requested: requested) == expected)
    }
}
