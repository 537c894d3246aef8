/// Which tracks are wanted: a pure value, and the rules by which one is found.
package struct TrackChoice: Sendable, Equatable {
    package enum Pick: Sendable, Equatable {
        /// By language, by the container's marks, else the first.
        case automatic
        case off
        /// Counted from 1 within its kind, as mpv counts.
        case number(Int)
        /// By its name within the source.
        case id(Int)
    }

    package var picks = PerTrackKind(video: Pick.automatic, audio: .automatic, subtitle: .automatic)
    /// Most wanted first.
    package var audioLanguages: [String] = []
    package var subtitleLanguages: [String] = []
    /// False: by itself no subtitle track is chosen but one in a wanted language.
    package var followsSubtitleMarks = true

    package init() {}

    /// - Parameter usual: what FFmpeg would take.
    /// - Returns: the chosen track; nil for none.
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
        // A cover only where there is nothing else.
        let playable = moving.isEmpty ? all : moving
        if kind == .audio, let match = Self.best(playable, in: audioLanguages) { return match }
        let first = playable.first { $0.id == usual } ?? playable.first
        guard kind == .audio, let first, !first.isDefault else { return first }
        return playable.first { $0.isDefault } ?? first
    }

    /// One in a wanted language; else one that lies beside the file, or that the container marks. Forced ones only
    /// where they fit the sound.
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
