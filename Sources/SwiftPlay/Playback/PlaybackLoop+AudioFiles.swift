import MediaPipeline

/// The separate audio files of the current item.
extension PlaybackLoop {
    /// Passes the program's changes of the audio files to the item's source, and removes tracks that the program has
    /// removed.
    ///
    /// - Returns: Whether tracks were removed.
    func changeAudioFiles(of item: PlayingItem) -> Bool {
        let requests = item.updateItemSelection { state in
            defer { (state.audioFileChanges, state.removedTracks) = ([], []) }
            return (changes: state.audioFileChanges, removedTracks: state.removedTracks)
        }
        guard let requests else { return false }
        for change in requests.changes { item.source.changeAudioFiles(change) }
        guard !requests.removedTracks.isEmpty else { return false }
        currentItem?.info?.tracks.removeAll { requests.removedTracks.contains($0.id) }
        return true
    }

    /// Handles the opening of an audio file whose tracks were added.
    func didAddAudioFile(_ tracks: [MediaTrack], isSelected: Bool) {
        guard let item = currentItem else { return }
        currentItem?.info?.tracks += tracks
        item.updateItemSelection { state in
            state.tracks += tracks
            if isSelected, let track = tracks.first {
                state.trackSelections[.audio] = .id(track.id)
            } else if state.trackSelections[.audio] ?? .automatic == .automatic {
                // An automatic choice among the changed tracks could select the new file.
                state.trackSelections[.audio] = state.playingTracks[.audio].map { .id($0) } ?? .off
            }
        }
        currentItem?.trackSelection.requestChange()
        core.notify(.mediaSelectionChanged(item.playerItem))
    }
}
