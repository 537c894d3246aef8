import Dispatch
import SwiftPlay
import SystemCalls

/// Performs the actions that the Picture-in-Picture state machine returns.
extension PictureInPictureController {
    /// The time limit for the appearance of the floating window, for the program's call of the restore handler, and for
    /// the animation back to the layer.
    static let responseTimeout = DispatchTimeInterval.seconds(5)

    /// Performs actions in order, after the pending actions. Actions that a delegate method requests in the meantime
    /// come last. After ``PictureInPictureMachine/Action/returnToLayer(isAnimated:)``, the next actions wait until the
    /// layer shows the picture, without blocking the main queue.
    func perform(_ actions: [PictureInPictureMachine.Action]) {
        pendingActions += actions
        guard !isPerformingAction else { return }
        isPerformingAction = true
        while !waitsForLayer, !pendingActions.isEmpty { perform(pendingActions.removeFirst()) }
        isPerformingAction = false
        canStopPictureInPicture = machine.canStop
        ProgramVisibility.shared.setPictureInPictureUnderway(ObjectIdentifier(self), machine.isUnderway)
    }

    /// Performs the actions of a method that the program has called. The actions before the first delegate call are
    /// performed immediately, and the remaining actions after the method has returned to the program.
    func schedule(_ actions: [PictureInPictureMachine.Action]) {
        guard !actions.isEmpty else { return }
        pendingActions += actions
        guard !isPerformingAction, !waitsForLayer, pendingActions.count == actions.count else {
            return performPendingActionsLater()
        }
        while !waitsForLayer, let nextAction = pendingActions.first, !callsDelegate(nextAction) {
            perform(pendingActions.removeFirst())
        }
        performPendingActionsLater()
    }

    /// Performs the pending actions asynchronously on the main queue, after the method that the program has called has
    /// returned.
    private func performPendingActionsLater() {
        let owner = WeakReference(self)
        DispatchQueue.main.async { MainActor.assumeIsolated { owner.controller?.perform([]) } }
    }

    /// Returns whether an action calls a delegate of the program.
    private func callsDelegate(_ action: PictureInPictureMachine.Action) -> Bool {
        switch action {
        case .callWillStart, .callDidStart, .callFailed, .callRestore, .callWillStop, .callDidStop: true
        // If the program supplies its own frames, the playback delegate performs the pause.
        case .pausePlayer: windowSource?.playerLayer == nil
        case .requestWindow, .openWindow, .leaveLayer, .setActive, .returnToLayer, .closeWindow, .awaitReturn, .log:
            false
        }
    }

    /// Performs one action.
    private func perform(_ action: PictureInPictureMachine.Action) {
        switch action {
        case .requestWindow(let attempt):
            session.send { .requestStart(session: $0) }
            handleAfterTimeout { .timedOut(attempt: attempt) }
        case .callWillStart: delegate?.pictureInPictureControllerWillStartPictureInPicture(self)
        case .openWindow:
            windowSource = source
            sendPlaybackState()
            if let reason = session.openWindow() { perform(machine.handle(.failed(reason))) }
        case .leaveLayer: session.stopSendingFramesToLayer()
        case .setActive(let isActive):
            isPictureInPictureActive = isActive
            if !isActive { isPictureInPictureStalled = false }
            ProgramVisibility.shared.setFloating(ObjectIdentifier(self), isActive)
            let router = isActive ? windowSource?.router : nil
            Application.shared.setFloating(router.map(ObjectIdentifier.init), by: ObjectIdentifier(self))
            observePlayback(isActive)
            updateVideoCallSuspension()
        case .callDidStart: delegate?.pictureInPictureControllerDidStartPictureInPicture(self)
        case .callFailed(let reason):
            delegate?.pictureInPictureController(
                self, failedToStartPictureInPictureWithError: PlaybackError(.pictureInPictureStartFailed, reason))
        case .callRestore(let request): requestRestore(request)
        case .pausePlayer:
            setPlaying(false, of: windowSource)
            // The user closed the floating window: deactivate the audio session, so that the audio of other programs
            // resumes.
            windowSource?.playerLayer?.player?.releaseAudioSession()
        case .callWillStop(let reason):
            stopReason = reason
            delegate?.pictureInPictureControllerWillStopPictureInPicture(self)
        case .returnToLayer(let isAnimated):
            let wasShownOnlyInWindow = session.sendsFramesOnlyToWindow
            let animatedReturn = isAnimated ? session.beginReturn() : nil
            isReturningToLayer = animatedReturn != nil
            let pictureReturn = animatedReturn ?? session.returnToLayer()
            if wasShownOnlyInWindow { recordHandoff(.toLayer, after: pictureReturn) }
            awaitEnd(of: pictureReturn)
        case .closeWindow:
            renderSize = nil
            if !isReturningToLayer { session.send { .stop(session: $0) } }
            isReturningToLayer = false
        case .awaitReturn(let attempt): handleAfterTimeout { .returnTimedOut(attempt: attempt) }
        case .callDidStop:
            delegate?.pictureInPictureControllerDidStopPictureInPicture(self)
            // Release the content source: its layer would keep the player alive.
            if !machine.isUnderway { windowSource = nil }
        case .log(let text): logger.notice("\(text)")
        }
    }

    /// Passes an input to the state machine when ``responseTimeout`` has passed, for example the input that a restore
    /// request has timed out.
    private func handleAfterTimeout(_ input: @escaping @Sendable () -> PictureInPictureMachine.Input) {
        let owner = WeakReference(self)
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.responseTimeout) {
            MainActor.assumeIsolated { owner.controller.map { $0.perform($0.machine.handle(input())) } }
        }
    }

    /// Requests that the delegate restore the program's interface. `request` is the number of this restore request.
    /// Only the first call of the completion handler counts.
    private func requestRestore(_ request: Int) {
        let owner = WeakReference(self)
        let completionHandler: @Sendable (Bool) -> Void = { isRestored in
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    owner.controller.map {
                        $0.perform($0.machine.handle(.restoreCompleted(request: request, isRestored)))
                    }
                }
            }
        }
        handleAfterTimeout { .restoreTimedOut(request: request) }
        if let delegate {
            delegate.pictureInPictureController(
                self, restoreUserInterfaceForPictureInPictureStopWithCompletionHandler: completionHandler)
        } else {
            completionHandler(false)
        }
    }

    /// Performs the pending actions after the layer's output has shown the picture.
    private func awaitEnd(of pictureReturn: ReturnToLayer) {
        guard !pictureReturn.isFinished else { return }
        waitsForLayer = true
        let owner = WeakReference(self)
        pictureReturn.notify {
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    owner.controller?.waitsForLayer = false
                    owner.controller?.perform([])
                }
            }
        }
    }

    /// Records in the statistics how long the picture took to move between the layer and the floating window. The move
    /// is complete when the layer's output has shown the picture.
    func recordHandoff(_ direction: PlaybackStatistics.Handoff.Direction, after pictureReturn: ReturnToLayer) {
        guard let source = windowSource, let player = source.playerLayer?.player else { return }
        let frame = source.router.currentFrame?.id ?? 0, requested = Double(lastRequestTime) / 1e9
        pictureReturn.notify {
            player.record(
                PlaybackStatistics.Handoff(
                    direction: direction, requested: requested, completed: Double(MonotonicTime.now) / 1e9, frame: frame
                ))
        }
    }

    /// Records in the statistics how long the picture took to move between the layer and the floating window. The move
    /// is complete now; `frame` is the number of the first frame that the new output has shown.
    func recordHandoff(_ direction: PlaybackStatistics.Handoff.Direction, _ frame: UInt64) {
        windowSource?.playerLayer?.player?.record(
            PlaybackStatistics.Handoff(
                direction: direction, requested: Double(lastRequestTime) / 1e9,
                completed: Double(MonotonicTime.now) / 1e9,
                frame: frame))
    }
}
