import SwiftPlay

/// The state that the controls show.
extension PlayerViewController {
    /// The state of the player and the window that the controls show.
    var controlsState: ControlsState {
        var controlsState = ControlsState()
        (controlsState.isFullScreen, controlsState.canEnterFullScreen) = (window.isFullScreen, !window.isEmbedded)
        guard let player, let item = player.currentItem else { return controlsState }
        controlsState.title = item.title ?? item.displayedName
        controlsState.chapters = item.chapters.map {
            ControlsState.Chapter(start: $0.timeRange.start.seconds, name: $0.title)
        }
        (controlsState.hasPreviousItem, controlsState.hasNextItem) = (offersPreviousItem, offersNextItem)
        controlsState.isPaused = player.rate == 0
        controlsState.position = player.currentTime().seconds
        let duration = item.duration.seconds
        controlsState.duration = duration.isFinite && duration > 0 ? duration : nil
        controlsState.canSeek = item.isSeekable && !requiresLinearPlayback
        controlsState.hasAudio = item.hasAudio
        controlsState.volume = perceivedVolume
        controlsState.isMuted = player.isMuted
        controlsState.audioTracks = Self.tracks(.audible, of: item)
        controlsState.subtitles = Self.tracks(.legible, of: item)
        let choices = player.qualityChoices
        if !choices.isEmpty { controlsState.quality = choices.name }
        controlsState.loadedUntil = item.loadedEnd?.seconds
        controlsState.offersPictureInPicture = offersPictureInPicture
        return controlsState
    }

    /// Returns the number of an item's tracks of a kind, and which of them is selected.
    private static func tracks(_ characteristic: MediaCharacteristic, of item: PlayerItem) -> ControlsState.Tracks {
        guard let group = item.mediaSelectionGroup(forMediaCharacteristic: characteristic) else {
            return ControlsState.Tracks()
        }
        let selectedOption = item.currentMediaSelection.selectedMediaOption(in: group)
        return ControlsState.Tracks(
            selectedNumber: selectedOption.flatMap(group.options.firstIndex(of:)).map { $0 + 1 },
            count: group.options.count)
    }
}
