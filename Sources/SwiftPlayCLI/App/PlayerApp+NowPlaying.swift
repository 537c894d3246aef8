import SwiftPlayKit

/// Publishes now-playing information to the desktop and handles its media keys.
extension PlayerApp {
    /// Publishes the player to the desktop (MPRIS), unless an option prevents that.
    func openNowPlaying() {
        // With `--untimed`, frames are decoded as fast as possible, so there is no playback that a user could control.
        guard settings.publishesNowPlaying, !settings.isUntimed else { return }
        let session = NowPlayingSession(player: player, name: "swiftplay")
        session.canQuit = true
        session.canRaise = chosenOutput == .x11
        session.desktopEntry = "swiftplay"
        session.isShuffled = playlist.isShuffled
        session.setQueue(playlist.files, index: playlist.position)
        session.onCommand = { [weak self] command in self?.handle(command) ?? true }
        nowPlaying = session
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
        if nowPlaying.isShuffled != playlist.isShuffled { nowPlaying.isShuffled = playlist.isShuffled }
        if nowPlaying.queueIndex != playlist.position || nowPlaying.queue != playlist.files {
            nowPlaying.setQueue(playlist.files, index: playlist.position)
        }
    }

    /// Executes a media command of the desktop in the same way as the corresponding key. Returns false for commands
    /// that the now-playing session itself executes.
    private func handle(_ command: NowPlayingSession.Command) -> Bool {
        guard !isEnding else { return true }
        switch command {
        case .play: play()
        case .togglePlayPause: perform(.togglePause)
        case .pause, .stop:
            guard heldImage != nil else { return false }
            pause()
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
        case .changeShuffleMode(let isShuffled): setIsShuffled(isShuffled)
        case .goToQueueItem(let index): if playlist.go(to: index) { playCurrentFile() }
        case .raise: viewController?.window.activate()
        case .open(let location): loadFile(location, "replace")
        case .quit: end(.played)
        }
        reportPossibleChanges()
        return true
    }

    /// Shuffles the playlist, with the current file first, or restores its order.
    func setIsShuffled(_ isShuffled: Bool) {
        guard isShuffled != playlist.isShuffled else { return }
        if isShuffled {
            var generator = SystemRandomNumberGenerator()
            playlist.shuffle(using: &generator, keepingCurrent: true)
        } else {
            playlist.unshuffle()
        }
        queueNextItem()
    }
}
