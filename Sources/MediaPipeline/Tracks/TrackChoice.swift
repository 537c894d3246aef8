/// The wanted tracks, and the rules that select them. A pure value.
package struct TrackChoice: Sendable, Equatable {
    package enum Pick: Sendable, Equatable {
        /// By language, then by the container's flags, else the first track.
        case automatic
        case off
        /// A number within the kind, counted from 1 as in mpv.
        case number(Int)
        /// The track identifier within the source.
        case id(Int)
    }

    package var picks = PerTrackKind(video: Pick.automatic, audio: .automatic, subtitle: .automatic)
    /// The wanted languages, most preferred first.
    package var audioLanguages: [String] = []
    package var subtitleLanguages: [String] = []
    /// Whether subtitles may be chosen automatically by flags; if false, only by language.
    package var followsSubtitleMarks = true

    package init() {}

    /// Selects a track.
    ///
    /// - Parameter usual: The stream that FFmpeg would choose.
    /// - Returns: The selected track; nil if there is none.
    package func choose(_ kind: MediaTrack.Kind, among all: [MediaTrack], usual: Int? = nil) -> MediaTrack? {
        let tracks = all.filter { $0.kind == kind }
        switch picks[kind] {
        case .off: return nil
        case .number(let number):
            return tracks.indices.contains(number - 1) && tracks[number - 1].isPlayable ? tracks[number - 1] : nil
        case .id(let id): return tracks.first { $0.id == id && $0.isPlayable }
        case .automatic: return kind == .subtitle ? automaticSubtitle(tracks, all) : automatic(kind, tracks, usual)
        }
    }

    private func automatic(_ kind: MediaTrack.Kind, _ tracks: [MediaTrack], _ usual: Int?) -> MediaTrack? {
        let all = tracks.filter(\.isPlayable), moving = all.filter { !$0.isAttachedPicture }
        // Choose a cover only if there is no other video.
        let playable = moving.isEmpty ? all : moving
        if kind == .audio, let match = Self.best(playable, in: audioLanguages) { return match }
        let first = playable.first { $0.id == usual } ?? playable.first
        guard kind == .audio, let first, !first.isDefault else { return first }
        return playable.first { $0.isDefault } ?? first
    }

    /// Selects a subtitle track: one in a wanted language, else one in a file beside the media or one that the
    /// container flags. Prefers full subtitles to forced ones.
    private func automaticSubtitle(_ tracks: [MediaTrack], _ all: [MediaTrack]) -> MediaTrack? {
        let playable = tracks.filter(\.isPlayable)
        let full = playable.filter { !$0.isForced }
        if let match = Self.best(full, in: subtitleLanguages) ?? Self.best(playable, in: subtitleLanguages) {
            return match
        }
        guard followsSubtitleMarks else { return nil }
        if let external = full.first(where: \.isExternal) { return external }
        return playable.first { $0.isDefault } ?? playable.first(where: \.isForced)
    }

    private static func best(_ tracks: [MediaTrack], in languages: [String]) -> MediaTrack? {
        for wanted in languages {
            let matching = tracks.filter { $0.language.map { LanguageTag.matches($0, wanted: wanted) } ?? false }
            if let track = matching.first(where: \.isDefault) ?? matching.first(where: { !$0.isCommentary })
                ?? matching.first
            {
                return track
            }
        }
        return nil
    }
}
