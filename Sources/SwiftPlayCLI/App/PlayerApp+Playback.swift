import SwiftPlayKit

/// The controls of playback: pauses, seeks, volume and speed.
extension PlayerApp {
    /// Pauses or resumes playback.
    func togglePause() { isPaused ? play() : pause() }

    /// Whether playback is paused. A still image that was played to its end is paused only by the user.
    var isPaused: Bool { heldImage?.isPaused ?? (player.rate == 0 && !player.isAtEndOfStillImage) }

    /// Pauses playback, or stops the time of a still image.
    func pause() {
        // Hold the image now if it has ended, because the notification of its end may still wait in the main queue.
        if heldImage == nil, !isAtEnd, player.rate == 0, player.isAtEndOfStillImage, let playingItem {
            _ = holdStillImage(playingItem)
        }
        guard let heldImage else { return player.pause() }
        heldImage.isPaused = true
        reportPossibleChanges()
    }

    /// Resumes playback; at the end of the file, plays from the beginning.
    func play() {
        if let heldImage {
            heldImage.isPaused = false
            return reportPossibleChanges()
        }
        if isAtEnd {
            isAtEnd = false
            seek(to: 0)
        }
        // A key press and a command by remote control are both user actions.
        player.recordUserRequest()
        player.play()
    }

    /// Seeks by a number of seconds from the current time, within the file. Without `precisely`, the seek ends at a
    /// keyframe.
    func seek(by seconds: Double, precisely: Bool = true) {
        let now = player.currentTime().seconds
        seek(to: now + seconds, precisely: precisely)
    }

    /// Seeks to a time of the file, in seconds; without `precisely`, to a keyframe before it.
    func seek(to seconds: Double, precisely: Bool = true) {
        let target = player.currentItem?.seekableTime(nearestTo: seconds) ?? max(0, seconds)
        isAtEnd = false
        player.seek(
            to: MediaTime(seconds: target), toleranceBefore: precisely ? .zero : .positiveInfinity,
            toleranceAfter: .zero)
    }

    /// Sets the volume in percent on mpv's scale, 0 to `--volume-max`.
    func setVolume(_ newVolume: Double) {
        volume = min(max(newVolume, 0), settings.audio.maximumVolume)
        player.volume = Self.amplitude(volume) * Float(replayGainFactor)
    }

    /// Sets the playback speed as a factor, 0.01 to 100.
    func setSpeed(_ speed: Double) {
        let speed = min(max(speed, 0.01), 100)
        player.defaultRate = Float(speed)
        if player.rate != 0 { player.rate = Float(speed) }
    }
}
