import SharedFrames
import SystemCalls
import VideoOutput

/// Draws a router's frames at one output, on the presenter's thread. All scaling and all waiting for a display server
/// happens here.
///
/// A router has one presenter per output. A presenter ends when another one replaces it. A presenter that hangs because
/// its display server has stopped ends when the server responds or the connection is closed.
final class Presenter: Sendable {
    /// The number of this presenter. Another number in the shared state means that it was replaced.
    private let number: Int
    /// The output of the layer; nil if frames only go to the floating window.
    private let output: (any VideoOutput)?
    /// The router's state, which callers and the presenter share.
    private let state: Monitor<FrameRouter.State>

    /// The last settings that the presenter's thread has made on the output.
    private final class OutputSettings {
        /// The overlay in the layer's back buffer.
        var overlay: OverlayPicture?
        /// Whether this presenter has inhibited the output's screensaver.
        var keepsScreenOn = false
    }

    /// A piece of work and the destinations that it concerns.
    private struct Work {
        /// The work to perform, as the plan has returned it.
        let action: PresentationPlan.Action
        /// The destinations of the frame.
        let destinations: FrameRouter.FrameDestinations
    }

    /// The next piece of work of the presenter's thread.
    private enum Decision {
        /// End, because another presenter has replaced this one.
        case end
        /// Wait for a change of the plan, until this host time; nil without a limit.
        case wait(until: Int64?)
        /// Perform this piece of work.
        case work(Work)
        /// Report that the compositor stopped or resumed accepting frames.
        case report(RemoteFrameSink, FrameReleaseMonitor.Change)
    }

    init(number: Int, output: (any VideoOutput)?, state: Monitor<FrameRouter.State>) {
        self.number = number
        self.output = output
        self.state = state
    }

    /// The body of the presenter's thread.
    func run() {
        let outputSettings = OutputSettings()
        while let work = nextWork() { perform(work, outputSettings) }
        if outputSettings.keepsScreenOn { output?.keepScreenOn(false) }
    }

    /// Waits for work and returns it; nil when another presenter has replaced this one.
    private func nextWork() -> Work? {
        var deadline: Int64?
        while true {
            let decision: Decision? = state.wait(until: deadline) { state in
                guard state.presenters.activePresenterNumber == number else { return .end }
                let isStalled = state.plan.route.isStalled
                if isStalled, let (frameSink, change) = state.updateCompositorStall() {
                    return .report(frameSink, change)
                }
                let now = MonotonicTime.now
                switch state.plan.nextAction(now: now) {
                case .wait(let nextDeadline):
                    if isStalled {
                        return .wait(until: min(nextDeadline ?? .max, now + FrameRouter.stallCheckInterval))
                    }
                    return nextDeadline == deadline ? nil : .wait(until: nextDeadline)
                case let action: return .work(Work(action: action, destinations: state.destinations))
                }
            }
            switch decision {
            case .end: return nil
            case .work(let work): return work
            case .wait(let newDeadline): deadline = newDeadline
            case .report(let frameSink, let change): frameSink.report(change)
            // The wait ended slightly before the deadline and without a decision: wait again.
            case nil: continue
            }
        }
    }

    /// Performs a piece of work without holding the lock, and records its completion.
    private func perform(_ work: Work, _ outputSettings: OutputSettings) {
        switch work.action {
        case .keepScreenOn(let keepsScreenOn):
            outputSettings.keepsScreenOn = keepsScreenOn
            output?.keepScreenOn(keepsScreenOn)
            recordCompletion { $0.didComplete() }
        case .show(let dueFrame, let isReady): show(dueFrame, isReady: isReady, work.destinations, outputSettings)
        case .placeholder(let text):
            output?.showPlaceholder(text)
            recordCompletion { $0.didComplete() }
        case .refreshOverlay(let frame):
            sendOverlay(over: frame, work.destinations)
            let isStale =
                work.destinations.route.showsAtLayer
                && overlay(over: frame, work.destinations) !== outputSettings.overlay
            recordCompletion { plan in
                plan.didComplete()
                if isStale { plan.redraw(.redrawn, placeholder: nil) }
            }
        case .waitUntilDrawn(let drawWaitNumber):
            output?.waitUntilDrawn()
            recordOutputDrawn(drawWaitNumber)
        case .prepare(let frame):
            prepare(frame, work.destinations, outputSettings)
            recordCompletion { $0.didPrepare(frame) }
        case .wait: break
        }
    }

    /// Records in the plan that a piece of work is complete, unless another presenter has replaced this one.
    private func recordCompletion(_ report: (inout PresentationPlan) -> Void) {
        state.update { state in if state.presenters.activePresenterNumber == number { report(&state.plan) } }
    }

    /// Records that everything requested before the wait `drawWaitNumber` was requested is visible, and ends a return
    /// of the picture to the layer that waited for it.
    private func recordOutputDrawn(_ drawWaitNumber: Int) {
        let finishedReturn = state.update { state -> FrameRouter.PendingReturn? in
            guard state.presenters.activePresenterNumber == number else { return nil }
            state.plan.outputDidDraw(drawWaitNumber)
            return state.takeFinishedReturn()
        }
        finishedReturn?.completion()
    }

    /// Shows a frame at the layer, in the floating window or in both, and reports it.
    private func show(
        _ dueFrame: PresentationPlan.DueFrame, isReady: Bool, _ destinations: FrameRouter.FrameDestinations,
        _ outputSettings: OutputSettings
    ) {
        let frame = dueFrame.frame, route = destinations.route
        let draw = { [self] () -> Int64? in
            guard route.showsAtLayer, let output else { return nil }
            if !isReady { prepare(frame, destinations, outputSettings) }
            return output.present()
        }
        var shownTime: Int64?
        // During the return animation, draw the layer first: when the floating window closes above the layer, the layer
        // must not show an older frame than the window did.
        if route.isReturning { shownTime = draw() }
        if dueFrame.isNew, sendToFloatingWindow(frame, due: dueFrame.due, destinations) {
            shownTime = MonotonicTime.now
        }
        if !route.isReturning { shownTime = draw() ?? shownTime }
        let feedback = route.showsAtLayer ? output?.takeFeedback() ?? [] : []
        typealias Stall = (frameSink: RemoteFrameSink, change: FrameReleaseMonitor.Change)
        let (listener, stall) = state.update { state -> ((@Sendable () -> Void)?, Stall?) in
            guard state.presenters.activePresenterNumber == number else { return (nil, nil) }
            state.plan.didShow(at: shownTime ?? MonotonicTime.now)
            state.frameReports.add(feedback)
            return (state.frameReports.listener, dueFrame.isNew ? state.updateCompositorStall() : nil)
        }
        listener?()
        if let stall { stall.frameSink.report(stall.change) }
    }

    /// Sends a frame and its overlay to the floating window.
    ///
    /// - Returns: Whether the frame was sent.
    private func sendToFloatingWindow(
        _ frame: VideoFrame, due: Int64, _ destinations: FrameRouter.FrameDestinations
    ) -> Bool {
        guard destinations.route.sendsToFloatingWindow, let frameSink = destinations.frameSink else { return false }
        let overlay = destinations.floatingWindowOverlay(over: frame)
        // Send the messages about the frame's memory before taking the lock, because they take long.
        frameSink.prepare(frame)
        // Push under the lock, so that no frame follows after the route has changed back to the layer.
        let isSent = state.withLock { state -> Bool? in
            guard state.presenters.activePresenterNumber == number, state.floatingWindow.frameSink === frameSink,
                state.plan.route.sendsToFloatingWindow
            else { return nil }
            frameSink.show(overlay)
            return frameSink.push(frame, due: due)
        }
        // The route has changed: the compositor does not need the announced memory.
        if isSent == nil { frameSink.unmapUnusedMemory() }
        return isSent ?? false
    }

    /// Sends the overlay over a frame to the floating window.
    private func sendOverlay(over frame: VideoFrame, _ destinations: FrameRouter.FrameDestinations) {
        guard destinations.route.sendsToFloatingWindow, let frameSink = destinations.frameSink else { return }
        let overlay = destinations.floatingWindowOverlay(over: frame)
        state.withLock { if $0.floatingWindow.frameSink === frameSink { frameSink.show(overlay) } }
    }

    /// Returns the overlay (subtitles) that the player layer draws over a frame; nil if there is none.
    private func overlay(over frame: VideoFrame, _ destinations: FrameRouter.FrameDestinations) -> OverlayPicture? {
        guard let overlays = destinations.overlays, let geometry = output?.overlayGeometry(for: frame.format) else {
            return nil
        }
        return overlays.overlay(at: frame.presentationTime, in: geometry)
    }

    /// Draws a frame and its overlay into the layer's back buffer.
    private func prepare(
        _ frame: VideoFrame, _ destinations: FrameRouter.FrameDestinations, _ outputSettings: OutputSettings
    ) {
        let overlay = overlay(over: frame, destinations)
        if overlay != nil || outputSettings.overlay != nil { output?.setOverlay(overlay) }
        outputSettings.overlay = overlay
        output?.prepare(frame)
    }
}
