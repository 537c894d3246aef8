import Glibc
import SwiftPlay

extension PlayerViewController {
    /// A request of the user, by the controls or the keys.
    public enum Command: Sendable, Equatable {
        /// Pause if the player plays, else play. At the end, play from the beginning.
        case togglePlayback
        /// Seek to a time in seconds.
        case seek(to: Double)
        /// Seek by a number of seconds, backward if negative.
        case skip(by: Double)
        /// Set the volume as a cubic factor: the amplitude is its third power, and 1 is as recorded.
        case setVolume(Double)
        /// Change the volume by a difference, on the scale of ``setVolume(_:)``.
        case changeVolume(by: Double)
        /// Mute or unmute.
        case toggleMute
        /// Choose the next audio track, or the previous one if negative.
        case cycleAudioTrack(by: Int)
        /// Choose the next subtitle track, or the previous one if negative; none follows the last.
        case cycleSubtitles(by: Int)
        /// Start Picture-in-Picture, or stop it.
        case togglePictureInPicture
        /// Enter full screen, or leave it.
        case toggleFullScreen
        /// Leave full screen.
        case leaveFullScreen
        /// Show the controls for a while, as a movement of the pointer does.
        case showControls
    }

    /// Performs a request.
    ///
    /// - Parameter command: The request.
    public func perform(_ command: Command) {
        switch command {
        case .togglePlayback: togglePlayback()
        case .seek(let seconds): seek(to: seconds)
        case .skip(let seconds):
            guard let player, let target = seek(to: player.currentTime().seconds + seconds) else { break }
            flash(ControlsFacts.clock(target))
        case .setVolume(let volume): setVolume(volume)
        case .changeVolume(let step):
            setVolume(feltVolume + step)
            flash("Volume: \(Int((feltVolume * 100).rounded()))%")
        case .toggleMute:
            player?.isMuted.toggle()
            flash(player?.isMuted == true ? "Muted" : "Volume: \(Int((feltVolume * 100).rounded()))%")
        case .cycleAudioTrack(let step): cycle(.audible, by: step, allowsNone: false)
        case .cycleSubtitles(let step): cycle(.legible, by: step, allowsNone: true)
        case .togglePictureInPicture:
            if pictureInPictureController?.isPictureInPictureActive == true {
                stopPictureInPicture()
            } else {
                startPictureInPicture()
            }
        case .toggleFullScreen: setFullScreen(!window.isFullScreen)
        case .leaveFullScreen: setFullScreen(false)
        case .showControls: presenter.show()
        }
        presenter.update()
    }

    /// Performs a request, unless ``onCommand`` handles it.
    func ask(_ command: Command) {
        if onCommand?(command) == true { presenter.update() } else { perform(command) }
    }

    func press(_ key: String) {
        if onKey?(key) == true { return presenter.update() }
        if let command = Self.keys[key] { ask(command) } else { onEvent?(.key(key)) }
    }

    /// The keys of all controls, as in mpv.
    static let keys: [String: Command] = [
        "SPACE": .togglePlayback, "PLAYPAUSE": .togglePlayback, "PAUSE": .togglePlayback, "MBTN_RIGHT": .togglePlayback,
        "LEFT": .skip(by: -5), "RIGHT": .skip(by: 5), "DOWN": .skip(by: -60), "UP": .skip(by: 60),
        "9": .changeVolume(by: -0.02), "0": .changeVolume(by: 0.02), "/": .changeVolume(by: -0.02),
        "*": .changeVolume(by: 0.02),
        "WHEEL_DOWN": .changeVolume(by: -0.02), "WHEEL_UP": .changeVolume(by: 0.02),
        "VOLUME_DOWN": .changeVolume(by: -0.02), "VOLUME_UP": .changeVolume(by: 0.02), "m": .toggleMute,
        "MUTE": .toggleMute,
        "#": .cycleAudioTrack(by: 1), "j": .cycleSubtitles(by: 1), "J": .cycleSubtitles(by: -1),
        "p": .togglePictureInPicture, "f": .toggleFullScreen, "MBTN_LEFT_DBL": .toggleFullScreen,
        "ESC": .leaveFullScreen,
        "o": .showControls,
    ]

    // MARK: How

    private func togglePlayback() {
        guard let player else { return }
        guard player.rate == 0 else { return player.pause() }
        // At the end, playback starts from the beginning.
        if let end = player.currentItem?.duration, end.isNumeric, player.currentTime() >= end {
            player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
        }
        player.play()
        if entersFullScreenWhenPlaybackBegins { setFullScreen(true) }
    }

    /// Seeks to a time.
    ///
    /// - Returns: The target in seconds; nil if seeking is not possible.
    @discardableResult
    private func seek(to seconds: Double) -> Double? {
        guard let player, !requiresLinearPlayback, seconds.isFinite else { return nil }
        let duration = player.currentItem?.duration.seconds ?? .nan
        let target = min(max(0, seconds), duration.isFinite ? duration : .greatestFiniteMagnitude)
        player.seek(to: MediaTime(seconds: target), toleranceBefore: .zero, toleranceAfter: .zero)
        return target
    }

    var feltVolume: Double { player.map { cbrt(Double($0.volume)) } ?? 1 }

    private func setVolume(_ volume: Double) {
        guard volume.isFinite else { return }
        let volume = min(max(0, volume), 1)
        player?.volume = Float(volume * volume * volume)
    }

    private func cycle(_ characteristic: MediaCharacteristic, by step: Int, allowsNone: Bool) {
        guard let item = player?.currentItem,
            let group = item.mediaSelectionGroup(forMediaCharacteristic: characteristic)
        else { return }
        let playable = MediaSelectionGroup.playableMediaSelectionOptions(from: group.options)
        let choices: [MediaSelectionOption?] = (allowsNone ? [nil] : []) + playable
        guard !choices.isEmpty else { return }
        let now = choices.firstIndex(of: item.currentMediaSelection.selectedMediaOption(in: group)) ?? 0
        let next = choices[((now + step) % choices.count + choices.count) % choices.count]
        item.select(next, in: group)
        flash((characteristic == .audible ? "Audio: " : "Subtitles: ") + (next?.displayName ?? "no"))
    }

    func setFullScreen(_ on: Bool) {
        guard window.isOpen, window.isFullScreen != on else { return }
        fullScreen.take()?.finish(isCancelled: true)
        beginFullScreen(on)
        window.isFullScreen = on
    }

    private func beginFullScreen(_ on: Bool) {
        let transition = FullScreenTransition()
        (fullScreen, isFullScreenTold) = (transition, on)
        if on {
            delegate?.playerViewController(self, willBeginFullScreenPresentationWithAnimationCoordinator: transition)
        } else {
            delegate?.playerViewController(self, willEndFullScreenPresentationWithAnimationCoordinator: transition)
        }
    }

    /// Handles a change of full screen, by the program or by the window manager.
    func fullScreenChanged(_ on: Bool) {
        if fullScreen == nil, on != isFullScreenTold { beginFullScreen(on) }
        fullScreen.take()?.finish(isCancelled: false)
    }
}
