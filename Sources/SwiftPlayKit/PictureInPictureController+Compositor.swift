import CompositorProtocol
import Dispatch
import SwiftPlay
import SystemCalls

/// Events of the compositor and changes of the content source.
extension PictureInPictureController {
    /// Handles an event of the compositor.
    func handle(_ event: CompositorLink.Event) {
        switch event {
        case .opened:
            isCompositorAvailable = true
            unavailableReason = nil
            if requiresLinearPlayback { sendLinearPlayback() }
            updateStartPossibility()
        case .unavailable(let reason):
            isCompositorAvailable = false
            unavailableReason = reason
            if machine.startsWhenPossible { logger.warning("Picture-in-Picture cannot start yet: \(reason)") }
            updateStartPossibility()
            perform(machine.handle(.failed(reason)))
        case .granted: perform(machine.handle(.granted))
        case .shown(let frame):
            let actions = machine.handle(.shown)
            perform(actions)
            if actions.contains(.leaveLayer) { recordHandoff(.toPictureInPicture, frame) }
        case .startFailed(let reason): perform(machine.handle(.refused(reason)))
        case .stopped: perform(machine.handle(.stopped))
        case .removed: perform(machine.handle(.windowClosed))
        case .replaced: perform(machine.handle(.replaced))
        case .action(let action): if machine.hasWindow { performUserAction(action) }
        case .settings: automaticController?.update()
        case .stalled(let isStalled): isPictureInPictureStalled = isStalled && machine.isUnderway
        case .suspended(let isHidden):
            isHiddenByVideoCall = isHidden
            updateVideoCallSuspension()
        case .renderSize(let width, let height):
            guard machine.hasWindow else { return }
            renderSize = VideoSize(width: width, height: height)
            notifyRenderSize()
        case .lost:
            (isCompositorAvailable, isHiddenByVideoCall) = (false, false)
            unavailableReason = "the compositor was lost"
            // The compositor that announced the video call has exited and cannot announce the end of the call. Resume
            // the playback that the video call has paused.
            updateVideoCallSuspension()
            if machine.isUnderway { recordHandoff(.lost, after: session.returnToLayer()) }
            // The compositor closed the floating window when the connection ended: do not request to close the window.
            pendingActions.removeAll { $0 == .closeWindow }
            isReturningToLayer = false
            perform(machine.handle(.lost))
            // If the compositor crashes repeatedly, wait before starting it again.
            let restartDelay: DispatchTimeInterval = CompositorLink.shared.isCrashLooping ? .seconds(10) : .seconds(0)
            DispatchQueue.main.asyncAfter(deadline: .now() + restartDelay) { CompositorLink.shared.reconnect() }
        }
    }

    /// Connects again after a failure, so that a later start succeeds when the compositor can be started again. A
    /// compositor that crashes repeatedly is left alone.
    func retryCompositor() {
        guard !isCompositorAvailable, unavailableReason != nil, !CompositorLink.shared.isCrashLooping else { return }
        CompositorLink.shared.reconnect()
    }

    /// The reason why a start of Picture-in-Picture would fail immediately; nil if a start is possible.
    var startObstacle: String? {
        if let prohibitionReason { return "Picture-in-Picture is not possible: \(prohibitionReason)" }
        let reason: String? =
            if !Self.audioSessionPermitsPictureInPicture {
                "the audio session's category is \(AudioSession.sharedInstance().category); set playback or "
                    + "playAndRecord"
            } else if !isCompositorAvailable {
                unavailableReason ?? "the compositor has not responded yet"
            } else if isHiddenByVideoCall {
                "floating windows are hidden during a video call"
            } else if source?.isReadyForDisplay != true {
                "there is no video to show"
            } else if !session.canOpenWindow {
                "the terminal is not open yet"
            } else {
                nil
            }
        return reason.map { "Picture-in-Picture is not possible: \($0)" }
    }

    /// Updates ``isPictureInPicturePossible``, and ends Picture-in-Picture if the content source has no picture any
    /// more.
    func updateStartPossibility() {
        isPictureInPicturePossible = startObstacle == nil
        if isPictureInPicturePossible, machine.startsWhenPossible {
            lastRequestTime = MonotonicTime.now
            schedule(machine.handle(.becamePossible))
        }
        automaticController?.update()
        guard machine.isUnderway else { return failedItem = nil }
        switch source?.pictureAvailability ?? .none {
        case .picture: failedItem = nil
        case .none:
            failedItem = nil
            schedule(machine.handle(.sourceReleased))
        case .failed(let item):
            // Keep the floating window open for half a second after an item has failed: the program may set the next
            // item.
            guard failedItem !== item else { return }
            failedItem = item
            let owner = WeakReference(self)
            DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(500)) {
                MainActor.assumeIsolated {
                    guard let controller = owner.controller, let failedItem = controller.failedItem else { return }
                    controller.failedItem = nil
                    guard failedItem === item, case .failed(let currentItem)? = controller.source?.pictureAvailability,
                        currentItem === item
                    else { return }
                    controller.perform(controller.machine.handle(.sourceReleased))
                }
            }
        }
    }

    /// Pauses playback while a video call keeps the floating window off the screen, and resumes it after the call.
    func updateVideoCallSuspension() {
        defer { updateStartPossibility() }
        let isSuspended = isHiddenByVideoCall && isPictureInPictureActive
        guard isSuspended != isPictureInPictureSuspended else { return }
        isPictureInPictureSuspended = isSuspended
        if isSuspended {
            isPausedByVideoCall = isPlaying
            if isPausedByVideoCall { setPlaying(false) }
        } else if isPausedByVideoCall {
            isPausedByVideoCall = false
            if isPictureInPictureActive { setPlaying(true) }
        }
        sendPlaybackState()
    }

    /// Replaces the content source. An open floating window continues with the picture of the new source, or closes if
    /// the new source has no picture.
    func replaceSource(with newSource: ContentSource?) {
        guard newSource !== source || newSource == nil else { return }
        let windowContinues = machine.isUnderway && newSource?.isReadyForDisplay == true
        if machine.isUnderway, !windowContinues { schedule(machine.handle(.sourceReleased)) }
        source = newSource
        if windowContinues { windowSource = newSource }
        skipState.reset()
        let owner = WeakReference(self)
        sourceObservation = newSource?.observe {
            DispatchQueue.main.async { MainActor.assumeIsolated { owner.controller?.updateStartPossibility() } }
        }
        if !session.replaceFrameRouter(with: newSource?.router, windowContinues: windowContinues) {
            schedule(machine.handle(.sourceReleased))
        }
        if windowContinues {
            sendPlaybackState()
            notifyRenderSize()
        }
        updateStartPossibility()
    }
}
