import MediaPipeline

/// The selected tracks of an item, and the consequences of a new choice: a pure value.
struct TrackSelection: Equatable, Sendable {
    /// The way in which video and audio change to the requested tracks.
    enum Change: Hashable, Sendable {
        /// Video and audio stay as they are.
        case none
        /// Change the audio track during playback. If the source or the audio pipeline cannot do that,
        /// ``TrackSelection/changeBySeek(isSeekable:)`` applies.
        case inPlace
        /// Seek to the current time and continue there with the requested tracks.
        case seek
        /// The item is not seekable: video and audio do not change.
        case refuse
    }

    /// The tracks that play now.
    private(set) var selectedTracks = SelectedTracks.none
    /// Whether the program has changed its choice of tracks since the present tracks were selected.
    private(set) var isChangeRequested = false

    /// Selects the tracks of an item whose source is open. A choice that the program made in the meantime is applied
    /// next.
    ///
    /// - Parameters:
    ///   - video: The video track that the source plays.
    ///   - audio: The audio track that the source plays.
    mutating func begin(video: Int?, audio: Int?, choice: TrackChoice, among tracks: [MediaTrack]) {
        selectedTracks = SelectedTracks(
            video: video, audio: audio, subtitle: choice.choose(.subtitle, among: tracks)?.id)
        isChangeRequested = true
    }

    /// Records that the program has changed its choice of tracks.
    mutating func requestChange() { isChangeRequested = true }

    /// Returns and clears the request to change tracks, once the item is ready or plays.
    ///
    /// - Returns: Whether the program's choice of tracks has to be evaluated.
    mutating func takeChangeRequest(in phase: PlaybackPhase) -> Bool {
        guard isChangeRequested, phase == .ready || phase == .playing else { return false }
        isChangeRequested = false
        return true
    }

    /// Returns the tracks that should play.
    ///
    /// - Parameter hasAudioOutput: Whether the player plays audio; otherwise the audio track does not change.
    func requestedTracks(by choice: TrackChoice, among tracks: [MediaTrack], hasAudioOutput: Bool) -> SelectedTracks {
        var requestedTracks = selectedTracks
        for kind in MediaTrack.Kind.allCases where kind != .audio || hasAudioOutput {
            if !isUnchanged(kind, choice) {
                requestedTracks[kind] = choice.choose(kind, among: tracks, fallback: selectedTracks[kind])?.id
            }
        }
        return requestedTracks
    }

    /// Returns whether a track stays selected. An automatically selected track stays until the program makes another
    /// choice. Preferred languages select the audio track again, because the current audio track may be in another
    /// language.
    private func isUnchanged(_ kind: MediaTrack.Kind, _ choice: TrackChoice) -> Bool {
        guard choice.selections[kind] == .automatic, selectedTracks[kind] != nil else { return false }
        return switch kind {
        case .video: true
        case .audio: choice.audioLanguages.isEmpty
        case .subtitle: false
        }
    }

    /// Returns the way in which video and audio change to the requested tracks.
    ///
    /// - Parameters:
    ///   - audio: The progress of the item's audio. Audio that is already buffered remains audible; audio of the new
    ///     track follows it.
    ///   - isSeekable: Whether the item is seekable.
    func change(to requested: SelectedTracks, audio: AudioProgress, isSeekable: Bool) -> Change {
        if requested.video != selectedTracks.video { return changeBySeek(isSeekable: isSeekable) }
        guard requested.audio != selectedTracks.audio else { return .none }
        let canContinue = audio.isPrimed && audio.isUnfinished && selectedTracks.audio != nil
        return requested.audio == nil || canContinue ? .inPlace : changeBySeek(isSeekable: isSeekable)
    }

    /// Returns a change by a seek, or its refusal if the item is not seekable.
    func changeBySeek(isSeekable: Bool) -> Change { isSeekable ? .seek : .refuse }

    /// Records that the source delivers another audio track, or none.
    mutating func select(audio: Int?) { selectedTracks.audio = audio }

    /// Records that another subtitle track is shown, or none.
    mutating func select(subtitle: Int?) { selectedTracks.subtitle = subtitle }

    /// Records the requested video and audio when a seek starts.
    mutating func selectBySeek(_ requested: SelectedTracks) {
        (selectedTracks.video, selectedTracks.audio) = (requested.video, requested.audio)
    }
}
