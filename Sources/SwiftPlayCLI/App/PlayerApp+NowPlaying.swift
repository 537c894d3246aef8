import SwiftPlayKit

/// Now-playing information for the desktop, and its media keys.
extension PlayerApp {
    func openNowPlaying() {
        // Untimed decoding is not playback for a listener.
        guard settings.isSeenByDesktop, !settings.isUntimed else { return }
        let session = NowPlayingSession(player: player, name: "swiftplay")
        session.canQuit = true
        session.onCommand = { [weak self] command in self?.take(command) ?? true }
        nowPlaying = session
        AudioSession.sharedInstance().watchNowPlaying { [weak session] in session?.setIsNowPlaying($0) }
        tellNowPlaying()
    }

    func tellNowPlaying() {
        guard let nowPlaying else { return }
        let repeats: NowPlayingSession.RepeatType =
            loopsLeft != .times(0) ? .one : playlist.rounds != .times(0) ? .all : .off
        // Assign only changed values, because another thread reads them.
        if nowPlaying.canGoToNextTrack != (playlist.following != nil) {
            nowPlaying.canGoToNextTrack = playlist.following != nil
        }
        if nowPlaying.canGoToPreviousTrack != (playlist.position > 0) {
            nowPlaying.canGoToPreviousTrack = playlist.position > 0
        }
        if nowPlaying.repeatType != repeats { nowPlaying.repeatType = repeats }
    }

    /// Executes a command of the desktop in the same way as the corresponding key.
    private func take(_ command: NowPlayingSession.Command) -> Bool {
        guard !isEnding else { return true }
        switch command {
        case .play: play()
        case .togglePlayPause: perform(.togglePause)
        case .pause, .stop: return false
        case .nextTrack: perform(.next)
        case .previousTrack: perform(.previous)
        case .changePlaybackPosition(let time): seek(to: time.seconds)
        case .skip(let by): perform(.seek(by.seconds))
        case .changePlaybackRate(let rate): setSpeed(Double(rate))
        case .changeVolume(let felt): setVolume(felt * 100)
        case .changeRepeatMode(let type):
            loopsLeft = type == .one ? .forever : .times(0)
            playlist.rounds = type == .all ? .forever : .times(0)
            queueNext()
        case .open(let location): load(location, "replace")
        case .quit: end(.played)
        }
        propertiesMayHaveChanged()
        return true
    }
}
