import MediaPipeline
import SystemCalls

/// The program's commands.
extension PlaybackLoop {
    /// Carries out the pending commands in order. If the player is being closed, the pending commands are cancelled
    /// instead.
    ///
    /// - Returns: false if the player is being closed.
    func serveCommands() -> Bool {
        let commands = core.takeCommands()
        let isClosed = commands.contains { if case .close = $0 { true } else { false } }
        for command in commands { if isClosed { dismiss(command) } else { handle(command) } }
        return !isClosed
    }

    /// Completes a command that is not carried out.
    func dismiss(_ command: PlayerCore.Command) {
        if case .seek(let seek) = command { seek.completion(false) }
        if case .preroll(let wanted) = command { wanted.answer.give(false) }
    }

    /// Returns whether `item` is still the current one. Each change of the current item posts a command, and only the
    /// newest command opens a file.
    func isNewest(_ item: PlayerItem?) -> Bool { core.snapshot.withLock { $0.item === item } }

    private func handle(_ command: PlayerCore.Command) {
        switch command {
        case .setItem(let item): setItem(item)
        case .reject(let item):
            core.tell(
                .itemRejected(
                    item,
                    PlaybackError(
                        .itemInUse,
                        "\(item.location): the item is in use; "
                            + "remove it from its player or queue first, or play a copy of it"
                    )))
        case .setRate(let rate):
            cancelAppointment()
            hold.rateSet(rate)
            rateChanged(rate)
        case .seek(let seek):
            core.snapshot.withLock { $0.seeksAhead -= 1 }
            if !seek.isCancelled() { begin(seek) }
            if let start = seek.start { rateChanged(start.rate) }
        case .step(let count): step(count)
        case .preroll(let wanted): begin(wanted)
        case .goOn(let item): goOn(to: item)
        case .actionChanged: actionChanged()
        case .look: endChanged()
        case .settingChanged: core.tell(.settingChanged)
        case .sound(let report): handle(report)
        case .outputChanged: redraw()
        case .tracksChanged: current?.tracks.requestChange()
        case .soundChanged:
            applyVolume()
            core.tell(.settingChanged)
        case .device(let name): sound?.use(name)
        case .pitchChanged: stretchAnew()
        case .deinterlacingChanged:
            current?.source.setDeinterlacing(deinterlacing)
            queue.next?.source.setDeinterlacing(deinterlacing)
        case .session(let event): handle(event)
        case .giveBackSound: releaseSession()
        case .gesture: hold.gesture(now: MonotonicTime.now)
        case .close: break
        }
    }

    var deinterlacing: Deinterlacing {
        switch core.snapshot.withLock({ $0.settings.deinterlacing }) {
        case .automatic: .automatic
        case .always: .always
        case .never: .never
        }
    }
}
