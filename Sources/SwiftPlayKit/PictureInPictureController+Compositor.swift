import CompositorProtocol
import Dispatch
import SwiftPlay
import SystemCalls

/// Events of the compositor and changes of the content source.
extension PictureInPictureController {
    func heard(_ event: CompositorLink.Event) {
        switch event {
        case .opened:
            isAvailable = true
            unavailableReason = nil
            if requiresLinearPlayback { tellLinear() }
            reconsider()
        case .unavailable(let reason):
            isAvailable = false
            unavailableReason = reason
            reconsider()
            perform(machine.handle(.failed(reason)))
        case .granted: perform(machine.handle(.granted))
        case .shown(let frame):
            let actions = machine.handle(.shown)
            perform(actions)
            if actions.contains(.leaveLayer) { record(.toPictureInPicture, frame) }
        case .startFailed(let reason): perform(machine.handle(.refused(reason)))
        case .stopped: perform(machine.handle(.stopped))
        case .removed: perform(machine.handle(.windowGone))
        case .replaced: perform(machine.handle(.replaced))
        case .action(let action): if machine.hasWindow { act(action) }
        case .settings: automatic?.look()
        case .stalled(let on): isPictureInPictureStalled = on && machine.isUnderway
        case .suspended(let on):
            isPlaceTaken = on
            suspend()
        case .renderSize(let width, let height):
            guard machine.hasWindow else { return }
            renderSize = VideoSize(width: width, height: height)
            tellRenderSize()
        case .lost:
            (isAvailable, isPlaceTaken) = (false, false)
            unavailableReason = "the compositor was lost"
            // The compositor that announced a video call is gone and cannot end it: resumes what the call paused,
            // and updates what is possible.
            suspend()
            if machine.isUnderway { record(.lost, after: session.returnToLayer()) }
            // The window ended with the compositor.
            pending.removeAll { $0 == .closeWindow }
            isLanding = false
            perform(machine.handle(.lost))
            // A compositor that crashes repeatedly is restarted after a pause.
            let rest: DispatchTimeInterval = CompositorLink.shared.isHopeless ? .seconds(10) : .seconds(0)
            DispatchQueue.main.asyncAfter(deadline: .now() + rest) { CompositorLink.shared.reconnect() }
        }
    }

    /// The reason why a start would fail at once; nil if it would not.
    var obstacle: String? {
        if let prohibition { return "Picture-in-Picture is not possible: \(prohibition)" }
        let reason: String? =
            if !Self.sessionPermits {
                "the audio session's category is \(AudioSession.sharedInstance().category); set playback or playAndRecord"
            } else if !isAvailable {
                unavailableReason ?? "the compositor does not answer yet"
            } else if isPlaceTaken {
                "a video call has the place of the window"
            } else if source?.isReadyForDisplay != true {
                "there is no picture to show"
            } else if !session.hasPlace {
                "the terminal is not open yet"
            } else {
                nil
            }
        return reason.map { "Picture-in-Picture is not possible: \($0)" }
    }

    /// Updates whether a start is possible, and ends a Picture-in-Picture whose picture is gone.
    func reconsider() {
        isPictureInPicturePossible = obstacle == nil
        if isPictureInPicturePossible, machine.startsWhenPossible {
            requestedAt = MonotonicTime.now
            schedule(machine.handle(.becamePossible))
        }
        automatic?.look()
        guard machine.isUnderway else { return failedItem = nil }
        switch source?.prospect ?? .none {
        case .picture: failedItem = nil
        case .none:
            failedItem = nil
            schedule(machine.handle(.sourceGone))
        case .failed(let item):
            // The window stays for a moment, because the program may set the next item.
            guard failedItem !== item else { return }
            failedItem = item
            let relay = Relay(self)
            DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(500)) {
                MainActor.assumeIsolated {
                    guard let controller = relay.controller, let failed = controller.failedItem else { return }
                    controller.failedItem = nil
                    guard failed === item, case .failed(let present)? = controller.source?.prospect, present === item
                    else { return }
                    controller.perform(controller.machine.handle(.sourceGone))
                }
            }
        }
    }

    /// Pauses playback while a video call keeps the window off the screen, and resumes it afterwards.
    func suspend() {
        defer { reconsider() }
        let isSuspended = isPlaceTaken && isPictureInPictureActive
        guard isSuspended != isPictureInPictureSuspended else { return }
        isPictureInPictureSuspended = isSuspended
        if isSuspended {
            pausedBySuspension = isPlaying
            if pausedBySuspension { setPlaying(false) }
        } else if pausedBySuspension {
            pausedBySuspension = false
            if isPictureInPictureActive { setPlaying(true) }
        }
        tellFacts()
    }

    func replaceSource(with new: ContentSource?) {
        guard new !== source || new == nil else { return }
        let goesOn = machine.isUnderway && new?.isReadyForDisplay == true
        if machine.isUnderway, !goesOn { schedule(machine.handle(.sourceGone)) }
        source = new
        if goesOn { windowSource = new }
        skipping = Skipping()
        let relay = Relay(self)
        sourceObservation = new?.observe {
            DispatchQueue.main.async { MainActor.assumeIsolated { relay.controller?.reconsider() } }
        }
        if !session.setRouter(new?.router, goesOn: goesOn) { schedule(machine.handle(.sourceGone)) }
        if goesOn {
            tellFacts()
            tellRenderSize()
        }
        reconsider()
    }
}
