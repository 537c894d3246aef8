import Dispatch
import Glibc
import MediaPipeline
import SwiftPlayKit

extension PlayerApp {
    /// Chooses the output and prepares the window and Picture-in-Picture. The window opens with the first video frame.
    func openWindow() {
        let hasDisplay = getenv("DISPLAY").map { $0.pointee != 0 } ?? false
        let hasTerminal = isatty(STDOUT_FILENO) == 1
        chosenOutput = settings.picture ?? (hasDisplay ? .x11 : hasTerminal ? .terminal(.automatic) : .null)
        // The picture would cover lines of text: hold them back until the terminal is restored.
        if case .terminal = chosenOutput { Complaint.hold() }
        var options = PlayerWindow.Options()
        switch chosenOutput {
        case .x11: options.kind = .x11
        case .null: options.kind = .null
        case .terminal(let graphics): (options.kind, options.terminal) = (.terminal, graphics)
        }
        options.title = settings.title ?? "swiftplay"
        options.geometry = settings.geometry
        options.isFullScreen = settings.isFullScreen
        options.x11Present = settings.x11Present
        let floating: PictureInPictureController? =
            switch chosenOutput {
            case .null: settings.startsInPictureInPicture ? .headless(playerLayer: layer) : nil
            case .x11: PictureInPictureController(playerLayer: layer)
            case .terminal: .terminal(playerLayer: layer)
            }
        let screen = PlayerViewController(playerLayer: layer, options: options, pictureInPicture: floating)
        screen.showsPlaybackControls = settings.showsControls
        screen.updatesWindowTitle = false
        screen.canStartPictureInPictureAutomaticallyFromInline = true
        screen.delegate = self
        screen.onEvent = { [weak self] event in self?.handle(event) }
        screen.onKey = { [weak self] name in
            self?.perform(KeyBindings.command(for: name))
            return true
        }
        screen.onCommand = { [weak self] command in self?.take(command) ?? false }
        screen.onFailure = { [weak self] error in
            Self.complain(error.message)
            self?.end(.cannotStart)
        }
        self.screen = screen
        pictureInPicture?.watch { [weak self] _ in self?.propertiesMayHaveChanged() }
        if settings.startsInPictureInPicture {
            if let pictureInPicture {
                pictureInPicture.startPictureInPictureWhenPossible()
            } else {
                logger.warning("Picture-in-Picture needs an X display or a terminal")
            }
        }
    }

    func handle(_ event: PlayerWindow.Event) {
        switch event {
        case .key: break
        case .closeRequested: end(.played)
        case .fullScreenChanged: propertiesMayHaveChanged()
        case .trouble(let reason): logger.warning("\(reason)")
        case .lost(let reason):
            Self.complain(reason)
            end(.cannotStart)
        }
    }

    func perform(_ command: KeyBindings.Command?) {
        switch command {
        case .togglePause: togglePause()
        case .seek(let seconds): seek(by: seconds)
        case .toggleMute: player.isMuted.toggle()
        case .changeVolume(let by): setVolume(volume + by)
        case .toggleFullScreen: screen?.window.isFullScreen.toggle()
        case .leaveFullScreen: screen?.window.isFullScreen = false
        case .step(let count): player.step(byCount: count)
        case .changeSpeed(let factor): setSpeed(Double(player.defaultRate) * factor)
        case .resetSpeed: setSpeed(1)
        case .togglePictureInPicture: togglePictureInPicture()
        case .cycleTrack(let kind, let step): cycle(kind, by: step)
        case .toggleSubtitles: player.showsSubtitles.toggle()
        case .changeSubtitleDelay(let by): player.subtitleDelay = MediaTime(seconds: player.subtitleDelay.seconds + by)
        case .changeSubtitleScale(let by): player.subtitleScale += by
        case .next: if playlist.following != nil { advance() }
        case .previous: if playlist.goBack() { playCurrent() }
        case .stepABLoop: stepABLoop(at: player.currentTime().seconds)
        case .toggleLoopFile: toggleLoopFile()
        case .chapter(let count): changeChapter(by: count)
        case .showControls: screen?.perform(.showControls)
        case .quit: end(.played)
        case nil: break
        }
        if let text = message(after: command) { show(text) }
        propertiesMayHaveChanged()
    }

    /// Executes a command of the on-screen controls in the same way as the corresponding key.
    private func take(_ command: PlayerViewController.Command) -> Bool {
        switch command {
        case .togglePlayback: perform(.togglePause)
        case .toggleMute: perform(.toggleMute)
        case .cycleAudioTrack(let step): perform(.cycleTrack(.audio, by: step))
        case .cycleSubtitles(let step): perform(.cycleTrack(.subtitle, by: step))
        case .togglePictureInPicture: perform(.togglePictureInPicture)
        case .toggleFullScreen: perform(.toggleFullScreen)
        case .seek(let seconds): seek(to: seconds)
        case .setVolume(let volume): setVolume(volume * 100)
        // The on-screen controls do not send these commands.
        case .skip, .changeVolume, .leaveFullScreen, .showControls: return false
        }
        propertiesMayHaveChanged()
        return true
    }

    /// Shows a message for one second, if the output can show messages.
    private func show(_ text: String) {
        messages += 1
        let number = messages
        screen?.showMessage(text)
        DispatchQueue.main.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            MainActor.assumeIsolated { if self?.messages == number { self?.screen?.showMessage(nil) } }
        }
    }

    /// Returns the message to show after a command; nil if there is none.
    private func message(after command: KeyBindings.Command?) -> String? {
        switch command {
        // The on-screen controls already show the time.
        case .showControls where chosenOutput == .x11 && settings.showsControls: return nil
        case .seek, .step, .showControls:
            let duration = player.currentItem?.duration.seconds ?? .nan
            return Self.clock(player.currentTime().seconds) + (duration.isFinite ? " / " + Self.clock(duration) : "")
        case .changeVolume, .toggleMute: return "Volume: \(Int(volume))%" + (player.isMuted ? " (muted)" : "")
        case .changeSpeed, .resetSpeed: return "Speed: \((Double(player.defaultRate) * 100).rounded() / 100)"
        case .stepABLoop:
            guard let a = abLoop.a else { return "A-B loop: no" }
            return "A-B loop: \(Self.clock(a)) - \(abLoop.b.map { Self.clock($0) } ?? "...")"
        case .toggleLoopFile: return "Loop: \(loopsLeft == .times(0) ? "no" : "inf")"
        case .chapter:
            let chapters = player.currentItem?.chapters ?? []
            let index = ChapterPlace.index(
                at: player.currentTime().seconds, starts: chapters.map(\.timeRange.start.seconds))
            return chapters.indices.contains(index) ? "Chapter: \(chapters[index].title ?? "\(index + 1)")" : nil
        case .toggleSubtitles: return "Subtitles: " + (player.showsSubtitles ? "shown" : "hidden")
        case .changeSubtitleDelay: return "Subtitle delay: \(Int((player.subtitleDelay.seconds * 1000).rounded())) ms"
        case .changeSubtitleScale: return "Subtitle size: \((player.subtitleScale * 100).rounded() / 100)"
        default: return nil
        }
    }

    private func cycle(_ kind: MediaTrack.Kind, by step: Int) {
        let tracks = target ?? PlayerTarget(player: player)
        let pick = tracks.cycle(kind, by: step)
        let name =
            switch kind {
            case .video: "Video"
            case .audio: "Audio"
            case .subtitle: "Subtitles"
            }
        show("\(name): \(tracks.described(kind, pick))")
    }

    /// Returns a time as hours, minutes and seconds, such as `01:02:03`.
    static func clock(_ seconds: Double) -> String {
        let s = Int(max(0, seconds.isFinite ? seconds : 0))
        return [s / 3600, s / 60 % 60, s % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    func togglePause() { player.rate == 0 ? play() : player.pause() }

    /// Resumes playback; at the end of the file, plays from the beginning.
    func play() {
        if eofReached {
            eofReached = false
            player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
        }
        // A key press and a command by remote control are both user actions.
        player.noteGesture()
        player.play()
    }

    /// Seeks relative to the current time, within the file.
    func seek(by seconds: Double, precisely: Bool = true) {
        let now = player.currentTime().seconds
        seek(to: now + seconds, precisely: precisely)
    }

    func seek(to seconds: Double, precisely: Bool = true) {
        let duration = player.currentItem?.duration.seconds ?? .nan
        var target = max(0, seconds)
        if duration.isFinite, target > duration { target = duration }
        eofReached = false
        player.seek(
            to: MediaTime(seconds: target), toleranceBefore: precisely ? .zero : .positiveInfinity,
            toleranceAfter: .zero)
    }

    func setVolume(_ new: Double) {
        volume = min(max(new, 0), 130)
        player.volume = Self.amplitude(volume)
    }

    func setSpeed(_ speed: Double) {
        let speed = min(max(speed, 0.01), 100)
        player.defaultRate = Float(speed)
        if player.rate != 0 { player.rate = Float(speed) }
    }

    func togglePictureInPicture() { setPictureInPicture(!(pictureInPicture?.isPictureInPictureActive ?? false)) }

    func setPictureInPicture(_ on: Bool) {
        guard let pictureInPicture else {
            return logger.warning("Picture-in-Picture is not possible: there is neither an X display nor a terminal")
        }
        on ? pictureInPicture.startPictureInPicture() : pictureInPicture.stopPictureInPicture()
    }
}

extension PlayerApp: PlayerViewControllerDelegate {
    func playerViewController(
        _ controller: PlayerViewController, failedToStartPictureInPictureWithError error: any Error
    ) {
        logger.warning("\(error)")
    }

    /// Returns false: the program's only window stays open, for its keys and its entry in the taskbar.
    func playerViewControllerShouldAutomaticallyDismissAtPictureInPictureStart(_ controller: PlayerViewController)
        -> Bool
    { false }

    func playerViewController(
        _ controller: PlayerViewController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void
    ) { completionHandler(controller.window.isOpen) }
}
