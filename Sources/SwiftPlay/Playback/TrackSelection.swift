import MediaPipeline

/// The selected tracks of an item, and the consequences of a new choice: a pure value.
struct TrackSelection: Equatable, Sendable {
    /// How video and audio change to the wanted tracks.
    enum Change: Hashable, Sendable {
        case none
        /// Change the audio track during playback. If the source or the audio path cannot do that,
        /// ``TrackSelection/changeBySeek(isSeekable:)`` applies.
        case inPlace
        /// Seek to the current time and continue there with the wanted tracks.
        case seek
        /// The item is not seekable: video and audio do not change.
        case refuse
    }

    private(set) var selected = SelectedTracks.none
    /// Whether the program has changed its choice since the tracks were selected.
    private(set) var isChangeWanted = false

    /// Selects the tracks of an item whose source is open. A choice that the program made in the meantime is applied
    /// next.
    ///
    /// - Parameters:
    ///   - video: The video track that the source plays.
    ///   - audio: The audio track that the source plays.
    mutating func begin(video: Int?, audio: Int?, choice: TrackChoice, among tracks: [MediaTrack]) {
        selected = SelectedTracks(
            video: video, audio: audio, subtitle: choice.choose(.subtitle, among: tracks)?.id)
        isChangeWanted = true
    }

    mutating func requestChange() { isChangeWanted = true }

    /// Returns and clears the request for a change, once the item is ready or plays.
    ///
    /// - Returns: Whether the choice has to be evaluated.
    mutating func takeRequest(in phase: PlaybackPhase) -> Bool {
        guard isChangeWanted, phase == .ready || phase == .playing else { return false }
        isChangeWanted = false
        return true
    }

    /// Returns the tracks that should play.
    ///
    /// - Parameter hasAudioOutput: Whether the player plays audio; otherwise  the audio track does not change.
    func wanted(by choice: TrackChoice, among tracks: [MediaTrack], hasAudioOutput: Bool) -> SelectedTracks {
        var wanted = selected
        for kind in MediaTrack.Kind.allCases where kind != .audio || hasAudioOutput {
            if !keeps(kind, choice) { wanted[kind] = choice.choose(kind, among: tracks, usual: selected[kind])?.id }
        }
        return wanted
    }

    /// Returns whether a track stays selected. An automatically selected track stays until the program makes another
    /// choice. Preferred languages select the audio track anew, because the current one may be in another language.
    private func keeps(_ kind: MediaTrack.Kind, _ choice: TrackChoice) -> Bool {
        guard choice.picks[kind] == .automatic, selected[kind] != nil else { return false }
        return switch kind {
        case .video: true
        case .audio: choice.audioLanguages.isEmpty
        case .subtitle: false
        }
    }

    /// Returns how to change to the wanted tracks.
    ///
    /// - Parameters:
    ///   - audio: The item's audio. Audio on its way to the device remains audible, and the new track continues after
    ///     it.
    ///   - isSeekable: Whether the item is seekable.
    func change(to wanted: SelectedTracks, audio: AudioProgress, isSeekable: Bool) -> Change {
        if wanted.video != selected.video { return changeBySeek(isSeekable: isSeekable) }
        guard wanted.audio != selected.audio else { return .none }
        let canJoin = audio.isPrimed && audio.isUnfinished && selected.audio != nil
        return wanted.audio == nil || canJoin ? .inPlace : changeBySeek(isSeekable: isSeekable)
    }

    func changeBySeek(isSeekable: Bool) -> Change { isSeekable ? .seek : .refuse }

    /// Records that the source delivers another audio track, or none.
    mutating func select(audio: Int?) { selected.audio = audio }

    mutating func select(subtitle: Int?) { selected.subtitle = subtitle }

    /// Records the wanted video and audio when a seek starts.
    mutating func selectBySeek(_ wanted: SelectedTracks) {
        (selected.video, selected.audio) = (wanted.video, wanted.audio)
    }
}
