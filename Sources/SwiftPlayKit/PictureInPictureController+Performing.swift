import Dispatch
import SwiftPlay
import SystemCalls

/// Performs the actions of the state machine.
extension PictureInPictureController {
    /// The time limit of a restore handler, and of a window to appear.
    static let patience = DispatchTimeInterval.seconds(5)

    /// Performs actions in order, after those that are pending. Actions that a delegate requests meanwhile come last.
    /// After ``PictureInPictureMachine/Action/returnToLayer(flies:)`` the next actions wait until the layer shows the
    /// picture, without blocking the main queue.
    func perform(_ actions: [PictureInPictureMachine.Action]) {
        pending += actions
        guard !isPerforming else { return }
        isPerforming = true
        while !isReturning, !pending.isEmpty { perform(pending.removeFirst()) }
        isPerforming = false
        canStopPictureInPicture = machine.canStop
        ProgramPresence.shared.setStarting(ObjectIdentifier(self), machine.isUnderway)
    }

    /// Performs actions for a call of the program: those before the first delegate call at once, the others after the
    /// program's call has returned.
    func schedule(_ actions: [PictureInPictureMachine.Action]) {
        guard !actions.isEmpty else { return }
        pending += actions
        guard !isPerforming, !isReturning, pending.count == actions.count else { return performLater() }
        while !isReturning, let first = pending.first, !callsDelegate(first) { perform(pending.removeFirst()) }
        performLater()
    }

    private func performLater() {
        let relay = Relay(self)
        DispatchQueue.main.async { MainActor.assumeIsolated { relay.controller?.perform([]) } }
    }

    private func callsDelegate(_ action: PictureInPictureMachine.Action) -> Bool {
        switch action {
        case .callWillStart, .callDidStart, .callFailed, .callRestore, .callWillStop, .callDidStop: true
        // The playback delegate pauses pictures of the program's own.
        case .pausePlayer: windowSource?.playerLayer == nil
        case .requestWindow, .openWindow, .leaveLayer, .setActive, .returnToLayer, .closeWindow, .awaitLanding, .note:
            false
        }
    }

    private func perform(_ action: PictureInPictureMachine.Action) {
        switch action {
        case .requestWindow(let attempt):
            session.send { .requestStart(session: $0) }
            afterPatience { .timedOut(attempt: attempt) }
        case .callWillStart: delegate?.pictureInPictureControllerWillStartPictureInPicture(self)
        case .openWindow:
            windowSource = source
            tellFacts()
            if let reason = session.openWindow() { perform(machine.handle(.failed(reason))) }
        case .leaveLayer: session.leaveLayer()
        case .setActive(let active):
            isPictureInPictureActive = active
            if !active { isPictureInPictureStalled = false }
            ProgramPresence.shared.setFloating(ObjectIdentifier(self), active)
            watchFacts(active)
            suspend()
        case .callDidStart: delegate?.pictureInPictureControllerDidStartPictureInPicture(self)
        case .callFailed(let reason):
            delegate?.pictureInPictureController(
                self, failedToStartPictureInPictureWithError: PlaybackError(.pictureInPictureStartFailed, reason))
        case .callRestore(let question): askRestore(question)
        case .pausePlayer:
            setPlaying(false, of: windowSource)
            // The user closed the window, so other programs may be heard again.
            windowSource?.playerLayer?.player?.giveBackSound()
        case .callWillStop(let reason):
            stopReason = reason
            delegate?.pictureInPictureControllerWillStopPictureInPicture(self)
        case .returnToLayer(let flies):
            let wasRemote = session.hasLeftLayer
            let landing = flies ? session.land() : nil
            isLanding = landing != nil
            let pictureReturn = landing ?? session.returnToLayer()
            if wasRemote { record(.toLayer, after: pictureReturn) }
            awaitEnd(of: pictureReturn)
        case .closeWindow:
            renderSize = nil
            if !isLanding { session.send { .stop(session: $0) } }
            isLanding = false
        case .awaitLanding(let attempt): afterPatience { .landingTimedOut(attempt: attempt) }
        case .callDidStop:
            delegate?.pictureInPictureControllerDidStopPictureInPicture(self)
            // A layer keeps its player, so keeping the last source would keep its player alive.
            if !machine.isUnderway { windowSource = nil }
        case .note(let text): logger.notice("\(text)")
        }
    }

    /// Sends an input to the machine after the time limit.
    private func afterPatience(_ input: @escaping @Sendable () -> PictureInPictureMachine.Input) {
        let relay = Relay(self)
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.patience) {
            MainActor.assumeIsolated { relay.controller.map { $0.perform($0.machine.handle(input())) } }
        }
    }

    private func askRestore(_ question: Int) {
        let relay = Relay(self)
        let answer: @Sendable (Bool) -> Void = { restored in
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    relay.controller.map {
                        $0.perform($0.machine.handle(.restoreAnswered(question: question, restored)))
                    }
                }
            }
        }
        afterPatience { .restoreTimedOut(question: question) }
        if let delegate {
            delegate.pictureInPictureController(
                self, restoreUserInterfaceForPictureInPictureStopWithCompletionHandler: answer)
        } else {
            answer(false)
        }
    }

    /// Continues with the pending actions after the layer's display has drawn the picture.
    private func awaitEnd(of pictureReturn: PictureReturn) {
        guard !pictureReturn.isOver else { return }
        isReturning = true
        let relay = Relay(self)
        pictureReturn.notify {
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    relay.controller?.isReturning = false
                    relay.controller?.perform([])
                }
            }
        }
    }

    /// Records a handoff that is complete when the layer's display has drawn the picture.
    func record(_ direction: PlaybackStatistics.Handoff.Direction, after pictureReturn: PictureReturn) {
        guard let source = windowSource, let player = source.playerLayer?.player else { return }
        let frame = source.router.current?.id ?? 0, requested = Double(requestedAt) / 1e9
        pictureReturn.notify {
            player.record(
                PlaybackStatistics.Handoff(
                    direction: direction, requested: requested, completed: Double(MonotonicTime.now) / 1e9, frame: frame
                ))
        }
    }

    func record(_ direction: PlaybackStatistics.Handoff.Direction, _ frame: UInt64) {
        windowSource?.playerLayer?.player?.record(
            PlaybackStatistics.Handoff(
                direction: direction, requested: Double(requestedAt) / 1e9, completed: Double(MonotonicTime.now) / 1e9,
                frame: frame))
    }
}
