import SwiftPlayKit

/// Waiting without a file, still images, and the gain of files.
extension PlayerApp {
    /// Waits for a file that an IPC client or the desktop opens.
    func becomeIdle() {
        removeQueuedItem()
        playingItem = nil
        isIdle = true
        playlist = Playlist(files: [])
        playlist.remainingRounds = settings.playlistLoop
        player.replaceCurrentItem(with: nil)
        openForcedWindow()
        ipc?.broadcast(IPCEvent("idle"))
        reportPossibleChanges()
    }

    /// Opens the window without a picture if an option requires it.
    func openForcedWindow() {
        guard settings.forcesWindow, chosenOutput == .x11, let window = viewController?.window, !window.isOpen else {
            return
        }
        do {
            try window.open(pictureWidth: 960, pictureHeight: 540)
        } catch {
            Self.reportError("\(error)")
            end(.cannotStart)
        }
    }

    /// Returns the time at which playback of an item ends, in seconds; nil for the end of the file.
    func endTime(of item: PlayerItem, duration: Double?) -> Double? {
        let end = settings.end?.seconds(duration: duration)
        guard let length = settings.playback.length else { return end }
        // The item may begin at a remembered position.
        let start = item.playbackStartTime
        let startSeconds = start.isNumeric ? start.seconds : settings.start?.seconds(duration: duration) ?? 0
        return min(end ?? .infinity, startSeconds + length)
    }

    /// Sets the volume for the ReplayGain values of a file.
    func applyReplayGain(of item: PlayerItem) {
        guard settings.audio.replayGain.mode != .no else { return }
        let tags = item.metadata.compactMap { tag in tag.stringValue.map { (tag.key, $0) } }
        replayGainFactor = settings.audio.replayGain.factor(metadata: Dictionary(tags) { first, _ in first })
        setVolume(volume)
    }

    // MARK: Still images

    /// Shows a still image that has played for the time of `--image-display-duration`.
    ///
    /// - Returns: False if the item is not a still image.
    func holdStillImage(_ item: PlayerItem) -> Bool {
        guard item.isStillImage else { return false }
        guard heldImage == nil else { return true }
        heldImage = HeldImage(seconds: settings.playback.imageDuration) { [weak self] in
            guard let self, !self.isEnding else { return }
            self.heldImage = nil
            self.endFile()
            self.reportPossibleChanges()
        }
        return true
    }
}
