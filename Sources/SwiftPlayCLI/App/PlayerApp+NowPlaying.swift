import SwiftPlayKit

/// Publishes now-playing information to the desktop and handles its media keys.
extension PlayerApp {
    /// Publishes the player to the desktop (MPRIS), unless an option prevents that.
    func openNowPlaying() {
        // With `--untimed`, frames are decoded as fast as possible, so there is no playback that a user could control.
        guard settings.publishesNowPlaying, !settings.isUntimed else { return }
        let session = NowPlayingSession(player: player, name: "swiftplay")
        session.canQuit = true
        session.onCommand = { [weak self] command in self?.handle(command) ?? true }
        nowPlaying = session
        AudioSession.sharedInstance().watchNowPlaying { [weak session] in session?.setIsNowPlaying($0) }
        updateNowPlaying()
    }

    /// Publishes to the desktop whether there is a next or previous file, and the repeat mode: file, playlist or off.
    func updateNowPlaying() {
        guard let nowPlaying else { return }
        let repeatType: NowPlayingSession.RepeatType =
            loopsLeft != .times(0) ? .one : playlist.remainingRounds != .times(0) ? .all : .off
        // Assign only changed values: each assignment wakes the thread that publishes them.
        if nowPlaying.canGoToNextTrack != (playlist.nextPosition != nil) {
            nowPlaying.canGoToNextTrack = playlist.nextPosition != nil
        }
        if nowPlaying.canGoToPreviousTrack != (playlist.position > 0) {
            nowPlaying.canGoToPreviousTrack = playlist.position > 0
        }
        if nowPlaying.repeatType != repeatType { nowPlaying.repeatType = repeatType }
    }

    /// Executes a media command of the desktop in the same way as the corresponding key. Returns false for commands
    /// that the now-playing session itself executes.
    private func handle(_ command: NowPlayingSession.Command) -> Bool {
        guard !isEnding else { return true }
        switch command {
        case .play: play()
        case .togglePlayPause: perform(.togglePause)
        case .pause, .stop: return false
        case .nextTrack: perform(.nextFile)
        case .previousTrack: perform(.previousFile)
        case .changePlaybackPosition(let time): seek(to: time.seconds)
        case .skip(let interval): perform(.seek(interval.seconds))
        case .changePlaybackRate(let rate): setSpeed(Double(rate))
        case .changeVolume(let perceivedVolume): setVolume(perceivedVolume * 100)
        case .changeRepeatMode(let type):
            loopsLeft = type == .one ? .forever : .times(0)
            playlist.remainingRounds = type == .all ? .forever : .times(0)
            queueNextItem()
        case .open(let location): loadFile(location, "replace")
        case .quit: end(.played)
        }
        propertiesMayHaveChanged()
        return true
    }
}
