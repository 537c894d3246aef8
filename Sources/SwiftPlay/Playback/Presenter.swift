import SharedFrames
import SystemCalls
import VideoOutput

/// Draws a router's frames at one output, on the thread "presenter". All scaling and all waiting for a display server
/// happens here.
///
/// A router has one presenter per output. A presenter ends when another one replaces it. If it hangs because its
/// display server has stopped, it ends when the server responds or the connection is closed.
final class Presenter: Sendable {
    private let number: Int
    private let output: (any VideoOutput)?
    private let state: Monitor<FrameRouter.State>

    /// The thread's cached state of the output.
    private final class Memory {
        var overlay: OverlayPicture?
        var keepsScreenOn = false
    }

    private struct Work {
        let step: PresentationPlan.Step
        let places: FrameRouter.Places
    }

    private enum Turn {
        case end
        case wait(until: Int64?)
        case work(Work)
        case report(RemotePicture, FrameAnswerWatch.Change)
    }

    init(number: Int, output: (any VideoOutput)?, state: Monitor<FrameRouter.State>) {
        self.number = number
        self.output = output
        self.state = state
    }

    func run() {
        let memory = Memory()
        while let work = nextWork() { perform(work, memory) }
        if memory.keepsScreenOn { output?.keepScreenOn(false) }
    }

    private func nextWork() -> Work? {
        var deadline: Int64?
        while true {
            let turn: Turn? = state.wait(until: deadline) { state in
                guard state.presenters.active == number else { return .end }
                let isStalled = state.plan.route.isStalled
                if isStalled, let (remote, change) = state.checkRemote() { return .report(remote, change) }
                let now = MonotonicTime.now
                switch state.plan.step(now: now) {
                case .wait(let until):
                    if isStalled { return .wait(until: min(until ?? .max, now + FrameRouter.stallInterval)) }
                    return until == deadline ? nil : .wait(until: until)
                case let step: return .work(Work(step: step, places: state.places))
                }
            }
            switch turn {
            case .end: return nil
            case .work(let work): return work
            case .wait(let until): deadline = until
            case .report(let remote, let change): remote.report(change)
            // The wait timed out slightly before the deadline on this clock.
            case nil: continue
            }
        }
    }

    private func perform(_ work: Work, _ memory: Memory) {
        switch work.step {
        case .keepScreenOn(let on):
            memory.keepsScreenOn = on
            output?.keepScreenOn(on)
            done { $0.completed() }
        case .show(let showing, let isReady): show(showing, isReady: isReady, work.places, memory)
        case .placeholder(let text):
            output?.showPlaceholder(text)
            done { $0.completed() }
        case .refreshOverlay(let frame):
            showRemoteOverlay(over: frame, work.places)
            let isStale = work.places.route.feedsLayer && overlay(over: frame, work.places) !== memory.overlay
            done { plan in
                plan.completed()
                if isStale { plan.redraw(.redrawn, placeholder: nil) }
            }
        case .finish(let ticket):
            output?.finish()
            finished(ticket)
        case .prepare(let frame):
            prepare(frame, work.places, memory)
            done { $0.prepared(frame) }
        case .wait: break
        }
    }

    /// Reports completed work, unless another presenter has replaced this one.
    private func done(_ report: (inout PresentationPlan) -> Void) {
        state.update { state in if state.presenters.active == number { report(&state.plan) } }
    }

    /// Reports that everything requested before `ticket` is visible.
    private func finished(_ ticket: Int) {
        let ended = state.update { state -> FrameRouter.PendingReturn? in
            guard state.presenters.active == number else { return nil }
            state.plan.finished(ticket)
            return state.takeFinishedReturn()
        }
        ended?.completion()
    }

    private func show(
        _ showing: PresentationPlan.Showing, isReady: Bool, _ places: FrameRouter.Places, _ memory: Memory
    ) {
        let frame = showing.frame, route = places.route
        let draw = { [self] () -> Int64? in
            guard route.feedsLayer, let output else { return nil }
            if !isReady { prepare(frame, places, memory) }
            return output.present()
        }
        var shown: Int64?
        // During a return, draw first at the place that will cover the other, so that no older frame covers a newer
        // one.
        if route.isReturning { shown = draw() }
        if showing.isNew, push(frame, due: showing.due, places) { shown = MonotonicTime.now }
        if !route.isReturning { shown = draw() ?? shown }
        let feedback = route.feedsLayer ? output?.takeFeedback() ?? [] : []
        typealias Stall = (remote: RemotePicture, change: FrameAnswerWatch.Change)
        let (listener, stall) = state.update { state -> ((@Sendable () -> Void)?, Stall?) in
            guard state.presenters.active == number else { return (nil, nil) }
            state.plan.shown(at: shown ?? MonotonicTime.now)
            state.reporting.add(feedback)
            return (state.reporting.listener, showing.isNew ? state.checkRemote() : nil)
        }
        listener?()
        if let stall { stall.remote.report(stall.change) }
    }

    /// Sends a frame and its overlay to the floating window.
    ///
    /// - Returns: Whether the frame was sent.
    private func push(_ frame: VideoFrame, due: Int64, _ places: FrameRouter.Places) -> Bool {
        guard places.route.feedsRemote, let remote = places.remote else { return false }
        let overlay = places.remoteOverlay(over: frame)
        // Push under the lock, so that no frame follows after the route has changed back to the layer.
        return state.withLock { state in
            guard state.presenters.active == number, state.floating.remote === remote, state.plan.route.feedsRemote
            else { return false }
            remote.show(overlay)
            return remote.push(frame, due: due)
        }
    }

    private func showRemoteOverlay(over frame: VideoFrame, _ places: FrameRouter.Places) {
        guard places.route.feedsRemote, let remote = places.remote else { return }
        let overlay = places.remoteOverlay(over: frame)
        state.withLock { if $0.floating.remote === remote { remote.show(overlay) } }
    }

    private func overlay(over frame: VideoFrame, _ places: FrameRouter.Places) -> OverlayPicture? {
        guard let overlays = places.overlays, let place = output?.overlayPlace(for: frame.format) else { return nil }
        return overlays.overlay(at: frame.presentationTime, in: place)
    }

    /// Draws a frame and its overlay into the layer's back buffer.
    private func prepare(_ frame: VideoFrame, _ places: FrameRouter.Places, _ memory: Memory) {
        let overlay = overlay(over: frame, places)
        if overlay != nil || memory.overlay != nil { output?.setOverlay(overlay) }
        memory.overlay = overlay
        output?.prepare(frame)
    }
}
