import Testing

@testable import MediaPipeline
@testable import StreamPlaylists

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

    @Test func aTrackNumberOutOfRangeChoosesNoTrack() {
        let tracks = [track(5, .audio), track(6, .audio)]
        var choice = TrackChoice()
        for number in [Int.min, -1, 0, 3, .max] {
            choice.selections.audio = .number(number)
            #expect(choice.choose(.audio, among: tracks) == nil, "\(number)")
        }
    }

    @Test func numbersAndIdentifiersCountOnlyTracksOfTheirKind() {
        let tracks = [track(0, .video), track(1, .subtitle), track(2, .audio), track(3, .subtitle)]
        var choice = TrackChoice()
        choice.selections.subtitle = .number(2)
        #expect(choice.choose(.subtitle, among: tracks)?.id == 3)
        choice.selections.subtitle = .id(2)
        #expect(choice.choose(.subtitle, among: tracks) == nil, "the identifier belongs to an audio track")
        choice.selections.subtitle = .id(1)
        #expect(choice.choose(.subtitle, among: tracks)?.id == 1)
    }

    @Test func aLanguagePrefersTheDefaultTrackAndAvoidsCommentaries() {
        let commentary = track(0, .audio, "en") { $0.isCommentary = true }
        let plain = track(1, .audio, "en"), marked = track(2, .audio, "eng") { $0.isDefault = true }
        var choice = TrackChoice()
        choice.audioLanguages = ["en"]
        #expect(choice.choose(.audio, among: [commentary, plain, marked], fallback: 1)?.id == 2)
        #expect(choice.choose(.audio, among: [commentary, plain])?.id == 1)
        #expect(choice.choose(.audio, among: [commentary])?.id == 0)
    }

    @Test func aSelectedAudioFileTakesPrecedenceOverLanguages() {
        let file = track(MediaTrack.firstAudioFileID, .audio) { $0.location = "a.mka" }
        var choice = TrackChoice()
        choice.audioLanguages = ["en"]
        let tracks = [track(1, .audio, "en"), file]
        #expect(choice.choose(.audio, among: tracks, fallback: file.id)?.id == file.id)
        #expect(choice.choose(.audio, among: tracks, fallback: nil)?.id == 1)
    }

    @Test func aFallbackIsKeptUnlessAnotherTrackIsTheDefault() {
        let tracks = [track(0, .audio), track(1, .audio), track(2, .video), track(3, .video) { $0.isDefault = true }]
        #expect(TrackChoice().choose(.audio, among: tracks, fallback: 1)?.id == 1)
        #expect(TrackChoice().choose(.audio, among: tracks, fallback: 9)?.id == 0)
        #expect(TrackChoice().choose(.video, among: tracks, fallback: 2)?.id == 2, "flags decide only about audio")
    }
}
