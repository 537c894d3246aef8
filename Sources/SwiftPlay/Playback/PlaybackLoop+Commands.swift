import MediaPipeline
import SystemCalls

/// The handling of the program's commands.
extension PlaybackLoop {
    /// Carries out the pending commands in order. If the player is being closed, the pending commands are cancelled
    /// instead.
    ///
    /// - Returns: false if the player is being closed.
    func handleCommands() -> Bool {
        let commands = core.takeCommands()
        let isClosed = commands.contains { if case .close = $0 { true } else { false } }
        for command in commands { if isClosed { cancel(command) } else { handle(command) } }
        return !isClosed
    }

    /// Calls the completion handler of a seek or preroll that is not carried out, with `false`.
    func cancel(_ command: PlayerCore.Command) {
        if case .seek(let seek) = command { seek.completion(false) }
        if case .preroll(let preroll) = command { preroll.completion.complete(false) }
    }

    /// Returns whether `item` is still the player's current item. Each change of the current item posts a command, and
    /// only the newest command opens a file.
    func isStillCurrent(_ item: PlayerItem?) -> Bool { core.snapshot.withLock { $0.item === item } }

    /// Carries out a command.
    private func handle(_ command: PlayerCore.Command) {
        switch command {
        case .setItem(let item): setItem(item)
        case .reject(let item):
            core.notify(
                .itemRejected(
                    item,
                    PlaybackError(
                        .itemInUse,
                        "\(item.location): the item is in use; "
                            + "remove it from its player or queue first, or play a copy of it"
                    )))
        case .setRate(let rate):
            cancelScheduledStart()
            audioSessionPlan.requestedRateDidChange(rate)
            applyRequestedRate(rate)
        case .seek(let seek):
            core.snapshot.withLock { $0.queuedSeekCount -= 1 }
            if !seek.isCancelled() { begin(seek) }
            if let start = seek.start { applyRequestedRate(start.rate) }
        case .step(let count): step(count)
        case .preroll(let preroll): begin(preroll)
        case .advance(let item): advance(to: item)
        case .actionAtItemEndChanged: applyActionAtItemEnd()
        case .polledStateChanged: passEndTimesToPipeline()
        case .settingChanged: core.notify(.settingChanged)
        case .audioReport(let report): handle(report)
        case .outputChanged: updateLayer()
        case .tracksChanged: currentItem?.trackSelection.requestChange()
        case .volumeChanged:
            applyVolume()
            core.notify(.settingChanged)
        case .switchDevice(let name): audioPipeline?.switchDevice(to: name)
        case .pitchChanged: restretchBufferedAudio()
        case .variantChosen: applyChosenVariant()
        case .deinterlacingChanged:
            currentItem?.source.setDeinterlacing(deinterlacing)
            itemQueue.nextItem?.source.setDeinterlacing(deinterlacing)
        case .pictureTransformChanged: applyPictureTransform()
        case .session(let event): handle(event)
        case .releaseAudioSession: releaseSession()
        case .userRequestsPlayback: audioSessionPlan.recordUserGesture(now: MonotonicTime.now)
        case .close: break
        }
    }

    /// The program's setting for deinterlacing.
    var deinterlacing: Deinterlacing { core.snapshot.withLock { $0.settings.deinterlacing.decoderSetting } }
}
