import StreamPlaylists

/// The wanted tracks, and the rules that select them. A pure value.
package struct TrackChoice: Sendable, Equatable {
    /// The way in which the track of one kind is selected.
    package enum Selection: Sendable, Equatable {
        /// The track is selected by language, then by the container's flags, else it is the first track.
        case automatic
        /// No track of the kind.
        case off
        /// The number of the track among the tracks of its kind, counted from 1 as in mpv.
        case number(Int)
        /// The identifier of the track within its source (``MediaTrack/id``).
        case id(Int)
    }

    /// The selection for each kind of track.
    package var selections = PerTrackKind(video: Selection.automatic, audio: .automatic, subtitle: .automatic)
    /// The wanted audio languages, most preferred first.
    package var audioLanguages: [String] = []
    /// The wanted subtitle languages, most preferred first.
    package var subtitleLanguages: [String] = []
    /// Whether subtitles may be chosen automatically by the container's flags or because a subtitle file exists; if
    /// false, only by language.
    package var usesSubtitleFlags = true

    package init() {}

    /// Returns the track of a kind that these rules select.
    ///
    /// - Parameter fallback: The ID of the track to prefer if no language decides: FFmpeg's choice, or the current
    ///   track.
    /// - Returns: The selected track; nil if there is none.
    package func choose(_ kind: MediaTrack.Kind, among allTracks: [MediaTrack], fallback: Int? = nil)
        -> MediaTrack?
    {
        let tracks = allTracks.filter { $0.kind == kind }
        switch selections[kind] {
        case .off: return nil
        case .number(let number):
            let index = number &- 1
            return tracks.indices.contains(index) && tracks[index].isPlayable ? tracks[index] : nil
        case .id(let id): return tracks.first { $0.id == id && $0.isPlayable }
        case .automatic:
            return kind == .subtitle
                ? automaticSubtitle(tracks, allTracks) : automaticTrack(kind, tracks, fallback)
        }
    }

    /// Selects a video or audio track by language, flags and order.
    private func automaticTrack(_ kind: MediaTrack.Kind, _ tracks: [MediaTrack], _ fallback: Int?) -> MediaTrack? {
        let playableTracks = tracks.filter(\.isPlayable), movingVideos = playableTracks.filter { !$0.isAttachedPicture }
        // Choose a cover picture only if there is no other video.
        let candidates = movingVideos.isEmpty ? playableTracks : movingVideos
        // An audio file that the user added takes precedence over the languages.
        if kind == .audio, let file = candidates.first(where: { $0.id == fallback && $0.isExternal }) { return file }
        if kind == .audio, let bestMatch = Self.best(candidates, in: audioLanguages) { return bestMatch }
        let fallbackTrack = candidates.first { $0.id == fallback } ?? candidates.first
        guard kind == .audio, let fallbackTrack, !fallbackTrack.isDefault else { return fallbackTrack }
        return candidates.first { $0.isDefault } ?? fallbackTrack
    }

    /// Selects a subtitle track: one in a wanted language, else one in a separate file, else one that the container
    /// marks as default, or as forced in the language of the audio. Prefers full subtitles to forced subtitles.
    private func automaticSubtitle(_ tracks: [MediaTrack], _ allTracks: [MediaTrack]) -> MediaTrack? {
        let playableTracks = tracks.filter(\.isPlayable)
        let fullSubtitles = playableTracks.filter { !$0.isForced }
        let preferredTrack =
            Self.best(fullSubtitles, in: subtitleLanguages) ?? Self.best(playableTracks, in: subtitleLanguages)
        if let preferredTrack { return preferredTrack }
        guard usesSubtitleFlags else { return nil }
        if let externalTrack = fullSubtitles.first(where: \.isExternal) { return externalTrack }
        // Forced subtitles translate signs for viewers of the played audio, so they must have its language.
        let audioLanguage = choose(.audio, among: allTracks)?.language
        return playableTracks.first { $0.isDefault }
            ?? playableTracks.first { track in
                guard track.isForced, track.isAutoselect else { return false }
                guard let audioLanguage, let subtitleLanguage = track.language else { return true }
                return LanguageTag.matches(subtitleLanguage, requested: audioLanguage)
            }
    }

    /// Returns the best track in the most preferred language for which there is a track; nil if there is no track in
    /// any of `languages`.
    private static func best(_ tracks: [MediaTrack], in languages: [String]) -> MediaTrack? {
        for language in languages {
            let matchingTracks = tracks.filter {
                $0.language.map { LanguageTag.matches($0, requested: language) } ?? false
            }
            if let track = matchingTracks.first(where: \.isDefault) ?? matchingTracks.first(where: { !$0.isCommentary })
                ?? matchingTracks.first
            {
                return track
            }
        }
        return nil
    }
}
