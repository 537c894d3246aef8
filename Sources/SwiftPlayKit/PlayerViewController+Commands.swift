import Glibc
import SwiftPlay

extension PlayerViewController {
    /// A command that the user gives by the controls or the keys.
    public enum Command: Sendable, Equatable {
        /// Pause if the player plays, else play. At the end, play from the beginning.
        case togglePlayback
        /// Seek to a time in seconds from the start of the item.
        case seek(to: Double)
        /// Seek by a number of seconds; a negative number seeks backward.
        case skip(by: Double)
        /// Set the volume as a cubic factor: the amplitude is the third power of the value, and 1 leaves the audio
        /// unchanged.
        case setVolume(Double)
        /// Change the volume by a difference, on the scale of ``setVolume(_:)``; a negative difference lowers it.
        case changeVolume(by: Double)
        /// Mute or unmute.
        case toggleMute
        /// Select the audio track that is this number of positions after the current one; a negative number moves back.
        case cycleAudioTrack(by: Int)
        /// Select the subtitle track that is this number of positions after the current one; a negative number moves
        /// back. After the last track, no subtitles are shown.
        case cycleSubtitles(by: Int)
        /// Play the variant of a stream that is this number of positions after the current variant. The order is:
        /// automatic choice, best variant, lower variants. A negative number moves back.
        case cycleVariant(by: Int)
        /// Play the previous item of the program's playlist; without a program that handles the command in
        /// ``PlayerViewController/onCommand``, play the current item from its start.
        case previousItem
        /// Play the next item of the program's playlist; without a program that handles the command, the next item of a
        /// `QueuePlayer`.
        case nextItem
        /// Start Picture-in-Picture, or stop it.
        case togglePictureInPicture
        /// Enter full screen, or leave it.
        case toggleFullScreen
        /// Leave full screen.
        case leaveFullScreen
        /// Show the controls for a while, as a movement of the pointer does.
        case showControls
    }

    /// Performs a command of the user.
    ///
    /// - Parameter command: The command.
    public func perform(_ command: Command) {
        switch command {
        case .togglePlayback: togglePlayback()
        case .seek(let seconds): seek(to: seconds)
        case .skip(let seconds):
            guard let player, let target = seek(to: player.currentTime().seconds + seconds) else { break }
            showBriefly(ControlsState.clockText(target))
        case .setVolume(let volume): setVolume(volume)
        case .changeVolume(let step):
            setVolume(perceivedVolume + step)
            showBriefly("Volume: \(Int((perceivedVolume * 100).rounded()))%")
        case .toggleMute:
            player?.isMuted.toggle()
            showBriefly(player?.isMuted == true ? "Muted" : "Volume: \(Int((perceivedVolume * 100).rounded()))%")
        case .cycleAudioTrack(let step): cycle(.audible, by: step, allowsNone: false)
        case .cycleSubtitles(let step): cycle(.legible, by: step, allowsNone: true)
        case .cycleVariant(let step): cycleVariant(by: step)
        case .previousItem: seek(to: 0)
        case .nextItem: (player as? QueuePlayer)?.advanceToNextItem()
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

    /// Performs a command of the user, unless ``onCommand`` handles it.
    func request(_ command: Command) {
        if onCommand?(command) == true { presenter.update() } else { perform(command) }
    }

    /// Handles a key: calls ``onKey``, and performs the key's command if the program has not handled the key.
    func handleKey(_ key: String) {
        if onKey?(key) == true { return presenter.update() }
        if let command = Self.keys[key] { request(command) } else { onEvent?(.key(key)) }
    }

    /// The commands of the window's keys, by mpv's names of the keys.
    static let keys: [String: Command] = [
        "SPACE": .togglePlayback, "PLAYPAUSE": .togglePlayback, "PAUSE": .togglePlayback, "MBTN_RIGHT": .togglePlayback,
        "LEFT": .skip(by: -5), "RIGHT": .skip(by: 5), "DOWN": .skip(by: -60), "UP": .skip(by: 60),
        "9": .changeVolume(by: -0.02), "0": .changeVolume(by: 0.02), "/": .changeVolume(by: -0.02),
        "*": .changeVolume(by: 0.02),
        "WHEEL_DOWN": .changeVolume(by: -0.02), "WHEEL_UP": .changeVolume(by: 0.02),
        "VOLUME_DOWN": .changeVolume(by: -0.02), "VOLUME_UP": .changeVolume(by: 0.02), "m": .toggleMute,
        "MUTE": .toggleMute,
        "#": .cycleAudioTrack(by: 1), "h": .cycleVariant(by: 1), "H": .cycleVariant(by: -1),
        "j": .cycleSubtitles(by: 1), "J": .cycleSubtitles(by: -1),
        "p": .togglePictureInPicture, "f": .toggleFullScreen, "MBTN_LEFT_DBL": .toggleFullScreen,
        "ESC": .leaveFullScreen,
        "o": .showControls,
    ]

    // MARK: Execution

    /// Pauses or starts playback. At the end of the item, playback starts from the beginning.
    private func togglePlayback() {
        guard let player else { return }
        guard player.rate == 0 else { return player.pause() }
        if let end = player.currentItem?.duration, end.isNumeric, player.currentTime() >= end {
            player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
        }
        player.play()
        if entersFullScreenWhenPlaybackBegins { setFullScreen(true) }
    }

    /// Seeks to a time in seconds. The time is clamped to the duration of the item.
    ///
    /// - Returns: The clamped time in seconds; nil if seeking is not possible.
    @discardableResult
    private func seek(to seconds: Double) -> Double? {
        guard let player, !requiresLinearPlayback, seconds.isFinite else { return nil }
        let duration = player.currentItem?.duration.seconds ?? .nan
        let target = min(max(0, seconds), duration.isFinite ? duration : .greatestFiniteMagnitude)
        player.seek(to: MediaTime(seconds: target), toleranceBefore: .zero, toleranceAfter: .zero)
        return target
    }

    /// The player's volume as a cubic factor, on the scale of ``Command/setVolume(_:)``.
    var perceivedVolume: Double { player.map { cbrt(Double($0.volume)) } ?? 1 }

    /// Sets the player's volume as a cubic factor, clamped to 0…1.
    private func setVolume(_ volume: Double) {
        guard volume.isFinite else { return }
        let volume = min(max(0, volume), 1)
        player?.volume = Float(volume * volume * volume)
    }

    /// Selects the track of a kind that is `step` positions after the current one, and shows its name briefly.
    private func cycle(_ characteristic: MediaCharacteristic, by step: Int, allowsNone: Bool) {
        guard let item = player?.currentItem,
            let group = item.mediaSelectionGroup(forMediaCharacteristic: characteristic)
        else { return }
        let playableOptions = MediaSelectionGroup.playableMediaSelectionOptions(from: group.options)
        let choices: [MediaSelectionOption?] = (allowsNone ? [nil] : []) + playableOptions
        guard !choices.isEmpty else { return }
        let currentIndex = choices.firstIndex(of: item.currentMediaSelection.selectedMediaOption(in: group)) ?? 0
        let nextOption = choices[(currentIndex + step % choices.count + choices.count) % choices.count]
        item.select(nextOption, in: group)
        showBriefly((characteristic == .audible ? "Audio: " : "Subtitles: ") + (nextOption?.displayName ?? "no"))
    }

    /// Plays the next variant of a stream, and shows its size and bit rate briefly.
    private func cycleVariant(by step: Int) {
        guard let player, !player.qualityChoices.isEmpty else { return }
        player.cycleVariant(by: step)
        showBriefly("Quality: " + player.qualityChoices.description)
    }

    /// Enters or leaves full screen, and notifies the delegate.
    func setFullScreen(_ isFullScreen: Bool) {
        guard window.isOpen, !window.isEmbedded, window.isFullScreen != isFullScreen else { return }
        fullScreenTransition.take()?.finish(isCancelled: true)
        beginFullScreenTransition(isFullScreen)
        window.isFullScreen = isFullScreen
    }

    /// Notifies the delegate that the window is about to enter or leave full screen.
    private func beginFullScreenTransition(_ isEntering: Bool) {
        let transition = FullScreenTransition()
        (fullScreenTransition, wasReportedAsFullScreen) = (transition, isEntering)
        if isEntering {
            delegate?.playerViewController(self, willBeginFullScreenPresentationWithAnimationCoordinator: transition)
        } else {
            delegate?.playerViewController(self, willEndFullScreenPresentationWithAnimationCoordinator: transition)
        }
    }

    /// Handles the window's entering (true) or leaving of full screen, by the program or by the window manager.
    func handleFullScreenChange(_ isFullScreen: Bool) {
        if fullScreenTransition == nil, isFullScreen != wasReportedAsFullScreen {
            beginFullScreenTransition(isFullScreen)
        }
        fullScreenTransition.take()?.finish(isCancelled: false)
    }
}
