import MediaPipeline

/// Which tracks of an item play, and what another choice leads to: a pure value.
struct TrackSelection: Equatable, Sendable {
    /// How video and audio change to the wanted tracks.
    enum Change: Hashable, Sendable {
        case none
        /// The audio track changes while everything else goes on. Where the source or the audio path cannot do that,
        /// ``TrackSelection/changeBySeek(isSeekable:)`` follows.
        case inPlace
        /// A seek to the current time begins with the wanted tracks.
        case seek
        /// The item cannot seek: video and audio stay as they are.
        case refuse
    }

    private(set) var selected = SelectedTracks.none
    /// Whether the program has changed its choice since the tracks were chosen.
    private(set) var isChangeWanted = false

    /// Chooses the tracks of an item whose source is open. A choice that the program made meanwhile is looked at next.
    ///
    /// - Parameters:
    ///   - video: the video track that the source plays.
    ///   - audio: the audio track that the source plays.
    mutating func begin(video: Int?, audio: Int?, choice: TrackChoice, among tracks: [MediaTrack]) {
        selected = SelectedTracks(
            video: video, audio: audio, subtitle: choice.choose(.subtitle, among: tracks)?.id)
        isChangeWanted = true
    }

    mutating func requestChange() { isChangeWanted = true }

    /// Takes the request for a change, once the item stands or plays.
    ///
    /// - Returns: whether the choice has to be looked at.
    mutating func takeRequest(in phase: PlaybackPhase) -> Bool {
        guard isChangeWanted, phase == .ready || phase == .playing else { return false }
        isChangeWanted = false
        return true
    }

    /// The tracks that are to play.
    ///
    /// - Parameter hasAudioOutput: whether the player plays audio; otherwise the audio track stays.
    func wanted(by choice: TrackChoice, among tracks: [MediaTrack], hasAudioOutput: Bool) -> SelectedTracks {
        var wanted = selected
        for kind in MediaTrack.Kind.allCases where kind != .audio || hasAudioOutput {
            if !keeps(kind, choice) { wanted[kind] = choice.choose(kind, among: tracks, usual: selected[kind])?.id }
        }
        return wanted
    }

    /// A track that was chosen automatically stays until the program makes another choice. Preferred languages choose
    /// the audio track anew: the one that plays may be in another language.
    private func keeps(_ kind: MediaTrack.Kind, _ choice: TrackChoice) -> Bool {
        guard choice.picks[kind] == .automatic, selected[kind] != nil else { return false }
        return switch kind {
        case .video: true
        case .audio: choice.audioLanguages.isEmpty
        case .subtitle: false
        }
    }

    /// - Parameters:
    ///   - audio: that of the item. Audio on its way to the device is still heard, and the new track joins it there.
    ///   - isSeekable: whether the item can seek.
    func change(to wanted: SelectedTracks, audio: AudioProgress, isSeekable: Bool) -> Change {
        if wanted.video != selected.video { return changeBySeek(isSeekable: isSeekable) }
        guard wanted.audio != selected.audio else { return .none }
        let canJoin = audio.isPrimed && audio.isUnfinished && selected.audio != nil
        return wanted.audio == nil || canJoin ? .inPlace : changeBySeek(isSeekable: isSeekable)
    }

    func changeBySeek(isSeekable: Bool) -> Change { isSeekable ? .seek : .refuse }

    /// The source gives another audio track, or none.
    mutating func select(audio: Int?) { selected.audio = audio }

    mutating func select(subtitle: Int?) { selected.subtitle = subtitle }

    /// A seek begins with the wanted video and audio.
    mutating func selectBySeek(_ wanted: SelectedTracks) {
        (selected.video, selected.audio) = (wanted.video, wanted.audio)
    }
}
