import Dispatch
import Glibc
import MediaPipeline
import SwiftPlayKit
import VideoOutput

extension PlayerApp {
    /// Chooses the video output and prepares the window and Picture-in-Picture. The window opens with the first video
    /// frame.
    func openWindow() {
        let hasDisplay = getenv("DISPLAY").map { $0.pointee != 0 } ?? false
        let isDumb = TerminalCapabilities { getenv($0).map { String(cString: $0) } }.isDumb
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let hasTerminal = isTerminal && !isDumb && settings.terminal.isUsed
        chosenOutput = settings.videoOutput ?? (hasDisplay ? .x11 : hasTerminal ? .terminal(.automatic) : .null)
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
        settings.window.apply(to: &options)
        player.pictureTransform = settings.window.pictureTransform
        let pictureInPictureController: PictureInPictureController? =
            switch chosenOutput {
            case .null: settings.startsInPictureInPicture ? .headless(playerLayer: layer) : nil
            case .x11: PictureInPictureController(playerLayer: layer)
            case .terminal: .terminal(playerLayer: layer)
            }
        let viewController = PlayerViewController(
            playerLayer: layer, options: options, pictureInPicture: pictureInPictureController)
        viewController.showsPlaybackControls = settings.showsControls
        viewController.updatesWindowTitle = false
        viewController.canStartPictureInPictureAutomaticallyFromInline = true
        viewController.delegate = self
        viewController.window.willOpenTerminal = { [weak self] in
            self?.closeConsole(keepingStatus: false)
            // The picture would cover lines of text on the terminal: buffer the lines until the terminal is restored.
            StandardErrorWriter.setDestination(.buffer)
        }
        viewController.onEvent = { [weak self] event in self?.handle(event) }
        viewController.onKey = { [weak self] name in
            self?.pressKey(name)
            return true
        }
        viewController.onCommand = { [weak self] command in self?.handle(command) ?? false }
        viewController.onFailure = { [weak self] error in
            guard let self else { return Self.reportError(error.message) }
            Self.reportError(
                VideoOutputFailure.message(
                    error.message, output: self.chosenOutput, isTerminal: isTerminal, isDumb: isDumb))
            self.end(.cannotStart)
        }
        self.viewController = viewController
        pictureInPicture?.watch { [weak self] _ in self?.reportPossibleChanges() }
        if settings.startsInPictureInPicture {
            if let pictureInPicture {
                pictureInPicture.startPictureInPictureWhenPossible()
            } else {
                logger.warning("Picture-in-Picture needs an X display or a terminal")
            }
        }
    }

    /// Handles an event of the player's window.
    func handle(_ event: PlayerWindow.Event) {
        switch event {
        case .key: break
        case .closeRequested: end(.played)
        case .fullScreenChanged: reportPossibleChanges()
        case .warning(let reason): logger.warning("\(reason)")
        case .lost(let reason):
            Self.reportError(reason)
            end(.cannotStart)
        }
    }

    /// Executes the command of a pressed key; nil does nothing.
    func perform(_ command: KeyBindings.Command?) {
        switch command {
        case .togglePause: togglePause()
        case .seek(let seconds): seek(by: seconds)
        case .toggleMute: player.isMuted.toggle()
        case .changeVolume(let change): setVolume(volume + change)
        case .toggleFullScreen: viewController?.window.isFullScreen.toggle()
        case .leaveFullScreen: viewController?.window.isFullScreen = false
        case .stepFrames(let count): player.step(byCount: count)
        case .changeSpeed(let factor): setSpeed(Double(player.defaultRate) * factor)
        case .resetSpeed: setSpeed(1)
        case .togglePictureInPicture: togglePictureInPicture()
        case .cycleTrack(let kind, let step): cycleTrack(kind, by: step)
        case .cycleVariant(let step): player.cycleVariant(by: step)
        case .toggleSubtitles: player.showsSubtitles.toggle()
        case .changeSubtitleDelay(let change):
            player.subtitleDelay = MediaTime(seconds: player.subtitleDelay.seconds + change)
        case .changeSubtitleScale(let change): player.subtitleScale += change
        case .nextFile: if playlist.nextPosition != nil { playNextFile() }
        case .previousFile: if playlist.goBack() { playCurrentFile() }
        case .setNextABLoopPoint: setNextABLoopPoint(at: player.currentTime().seconds)
        case .toggleLoopFile: toggleLoopFile()
        case .seekChapters(let count): changeChapter(by: count)
        case .showControls: viewController?.perform(.showControls)
        case .quit: end(.played)
        case .quitSavingPosition:
            savePosition()
            end(.played)
        case .takeScreenshot(let withSubtitles): takeScreenshot(withSubtitles: withSubtitles)
        case .showStatistics: toggle(.statistics, staysVisible: false)
        case .toggleStatistics: toggle(.statistics, staysVisible: true)
        case .toggleKeyList: toggle(.keys, staysVisible: true)
        case .changeAudioDelay(let change):
            player.audioDelay = MediaTime(seconds: player.audioDelay.seconds + change)
            // Seek to the current time, because a change of the audio delay takes effect only at a seek.
            seek(to: player.currentTime().seconds)
        case .changeSubtitlePosition(let change): player.subtitlePosition += change
        case nil: break
        }
        if let text = message(after: command) { show(text) }
        reportPossibleChanges()
    }

    /// Executes a command of the on-screen controls in the same way as the corresponding key. Returns false for
    /// commands that ``PlayerViewController`` itself must execute.
    private func handle(_ command: PlayerViewController.Command) -> Bool {
        switch command {
        case .togglePlayback: perform(.togglePause)
        case .toggleMute: perform(.toggleMute)
        case .cycleAudioTrack(let step): perform(.cycleTrack(.audio, by: step))
        case .cycleSubtitles(let step): perform(.cycleTrack(.subtitle, by: step))
        case .cycleVariant(let step): perform(.cycleVariant(by: step))
        case .togglePictureInPicture: perform(.togglePictureInPicture)
        case .toggleFullScreen: perform(.toggleFullScreen)
        case .previousItem: perform(.previousFile)
        case .nextItem: perform(.nextFile)
        case .seek(let seconds): seek(to: seconds)
        case .setVolume(let volume): setVolume(volume * 100)
        // The on-screen controls never send the remaining commands, so they have no key with the same effect.
        case .skip, .changeVolume, .leaveFullScreen, .showControls: return false
        }
        reportPossibleChanges()
        return true
    }

    /// Shows a message over the picture, if the video output can draw text.
    func show(_ text: String, for duration: DispatchTimeInterval = .seconds(1)) {
        messageCount += 1
        let messageNumber = messageCount
        viewController?.showMessage(text)
        if showsMessagesInStatusLine { statusMessage = text }
        statusLine?.setNeedsUpdate()
        DispatchQueue.main.asyncAfter(deadline: .now() + duration) { [weak self] in
            MainActor.assumeIsolated {
                guard let self, self.messageCount == messageNumber else { return }
                self.viewController?.showMessage(nil)
                self.statusMessage = nil
                self.statusLine?.setNeedsUpdate()
            }
        }
    }

    /// Returns the message to show after the command of a key; nil if no message is needed.
    private func message(after command: KeyBindings.Command?) -> String? {
        switch command {
        // Show no message in a window whose on-screen controls already show the time.
        case .showControls where chosenOutput == .x11 && settings.showsControls: return nil
        // Show no message in a terminal whose status line already shows the time.
        case .seek where showsMessagesInStatusLine, .stepFrames where showsMessagesInStatusLine,
            .showControls where showsMessagesInStatusLine:
            return nil
        case .seek, .stepFrames, .showControls:
            return timeText
        case .changeVolume, .toggleMute: return "Volume: \(Int(volume))%" + (player.isMuted ? " (muted)" : "")
        case .changeSpeed, .resetSpeed: return "Speed: \((Double(player.defaultRate) * 100).rounded() / 100)"
        case .setNextABLoopPoint:
            guard let pointA = abLoop.pointA else { return "A-B loop: no" }
            return "A-B loop: \(ClockText.text(pointA)) - \(abLoop.pointB.map { ClockText.text($0) } ?? "...")"
        case .toggleLoopFile: return "Loop: \(loopsLeft == .times(0) ? "no" : "inf")"
        case .seekChapters:
            let chapters = player.currentItem?.chapters ?? []
            let index = ChapterIndex.index(
                at: player.currentTime().seconds, starts: chapters.map(\.timeRange.start.seconds))
            return chapters.indices.contains(index) ? "Chapter: \(chapters[index].title ?? "\(index + 1)")" : nil
        case .cycleVariant:
            let choices = player.qualityChoices
            return "Quality: " + (choices.isEmpty ? "no choice" : choices.description)
        case .toggleSubtitles: return "Subtitles: " + (player.showsSubtitles ? "shown" : "hidden")
        case .changeSubtitleDelay: return "Subtitle delay: \(Int((player.subtitleDelay.seconds * 1000).rounded())) ms"
        case .changeSubtitlePosition: return "Subtitle position: \(Int(player.subtitlePosition.rounded()))/100"
        case .changeAudioDelay: return "Audio delay: \(Int((player.audioDelay.seconds * 1000).rounded())) ms"
        case .changeSubtitleScale: return "Subtitle size: \((player.subtitleScale * 100).rounded() / 100)"
        default: return nil
        }
    }

    /// The position and the duration; in a terminal also a progress line.
    private var timeText: String {
        let time = player.currentTime().seconds, duration = player.currentItem?.duration.seconds ?? .nan
        let text = ClockText.text(time) + (duration.isFinite ? " / " + ClockText.text(duration) : "")
        guard case .terminal = chosenOutput,
            let line = ProgressText.line(
                played: time, loaded: player.currentItem?.loadedEnd?.seconds, duration: duration)
        else { return text }
        return text + " " + line
    }

    /// Selects the track of a kind that is `step` positions after the selected one, and shows its name.
    private func cycleTrack(_ kind: MediaTrack.Kind, by step: Int) {
        let target = ipcTarget ?? PlayerTarget(player: player, layer: layer, settings: settings)
        let selection = target.cycleTrack(kind, by: step)
        let name =
            switch kind {
            case .video: "Video"
            case .audio: "Audio"
            case .subtitle: "Subtitles"
            }
        show("\(name): \(target.trackDescription(kind, selection))")
    }

    /// Stops Picture-in-Picture if it is active; otherwise starts it.
    func togglePictureInPicture() { setPictureInPicture(!(pictureInPicture?.isPictureInPictureActive ?? false)) }

    /// Starts or stops Picture-in-Picture.
    func setPictureInPicture(_ isActive: Bool) {
        guard let pictureInPicture else {
            return logger.warning("Picture-in-Picture is not possible without an X display or a terminal")
        }
        isActive ? pictureInPicture.startPictureInPicture() : pictureInPicture.stopPictureInPicture()
    }
}

extension PlayerApp: PlayerViewControllerDelegate {
    func playerViewController(
        _ controller: PlayerViewController, failedToStartPictureInPictureWithError error: any Error
    ) {
        logger.warning("\(error)")
    }

    /// Returns false: the program's only window stays open during Picture-in-Picture, because it receives the keys and
    /// has the taskbar entry.
    func playerViewControllerShouldAutomaticallyDismissAtPictureInPictureStart(_ controller: PlayerViewController)
        -> Bool
    { false }

    func playerViewController(
        _ controller: PlayerViewController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void
    ) { completionHandler(controller.window.isOpen) }
}
