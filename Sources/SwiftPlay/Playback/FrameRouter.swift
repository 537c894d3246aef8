import Logging
import SharedFrames
import SystemCalls
import VideoOutput

/// Decides where frames are shown: at the player's layer, or in a window of the compositor. Picture-in-Picture changes
/// nothing else.
///
/// A player schedules frames; a ``Presenter`` draws them ahead, shows them at their times and reports what became of
/// them. A switch happens between two frames: the new place has shown a frame before the old one is no longer fed. Any
/// thread; no call draws, or waits for a display.
package final class FrameRouter: Sendable {
    package enum Destination: Equatable, Sendable {
        case layer
        /// The new place is not sure yet: both are fed.
        case both
        case remote
    }

    let state = Monitor(State())
    private let inhibitor = DisplaySleepInhibitor()
    private let threads = Monitor<[NamedThread]>([])
    private let logger = Logger(label: "picture")

    /// How long a presenter may take to end with its router, nanoseconds. One that hangs in a display server is left
    /// behind.
    private static let endPatience: Int64 = 100_000_000
    /// How often a compositor that does not take frames is looked at, nanoseconds.
    static let stallInterval: Int64 = 100_000_000
    /// How long a presenter may be at one piece of work before its display counts as stuck, nanoseconds.
    private static let stuckPatience: Int64 = 1_000_000_000

    package init() {}

    deinit {
        let pending = state.update { state in
            state.presenters.active = nil
            return state.floating.pendingReturn.take()
        }
        pending?.completion()
        let deadline = MonotonicTime.now + Self.endPatience
        for thread in threads.withLock({ $0 }) where !thread.join(until: deadline) { thread.leaveBehind() }
        inhibitor.end()
    }

    package var destination: Destination { state.withLock { $0.plan.route.destination } }
    /// The frame that is seen, or about to be.
    package var current: VideoFrame? { state.withLock { $0.plan.current } }
    /// Frames drawn again because nothing newer was there.
    package var repeats: Int { state.withLock { $0.plan.repeats } }
    package var output: (any VideoOutput)? { state.withLock { $0.layer.output } }

    /// Changes what is to be drawn, and lets the presenter draw it.
    @discardableResult
    func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, finished, presenter) = state.update { state in
            let result = body(&state)
            let finished = state.takeFinishedReturn()
            inhibitor.setWanted(state.keepsDesktopAwake)
            return (result, finished, state.startPresenter(now: MonotonicTime.now))
        }
        if let presenter { start(Presenter(number: presenter.number, output: presenter.output, state: state)) }
        finished?.completion()
        return result
    }

    private func start(_ presenter: Presenter) {
        do throws(SystemCallError) {
            try threads.withLock { running throws(SystemCallError) in
                running.append(
                    try NamedThread("presenter") { [threads] in
                        presenter.run()
                        // The presenter of an output that was taken away ends alone: this releases its thread.
                        threads.withLock { running in
                            guard let index = running.firstIndex(where: \.isCurrent) else { return }
                            running.remove(at: index).join()
                        }
                    })
            }
        } catch {
            state.withLock { $0.presenters.active = nil }
            logger.error("no picture is drawn: cannot start a thread: \(error)")
        }
    }

    // MARK: the layer

    /// Where the layer's frames are drawn; nil: nowhere. The first picture is drawn after this returns.
    package func setOutput(_ output: (any VideoOutput)?) {
        change { state in
            guard state.layer.output !== output else { return }
            state.layer.output = output
            output?.gravity = state.layer.gravity
            // The presenter of the old output ends as soon as it has finished what it is drawing.
            state.presenters.active = nil
            state.plan.outputChanged(isThere: output != nil, placeholder: state.layer.placeholder)
        }
        // A program that closes its window may exit next: the request is taken back before. Without an output a
        // return to the layer has ended by now.
        if output == nil, !state.withLock({ $0.keepsDesktopAwake }) { inhibitor.end() }
    }

    /// How a picture of another shape is fitted into the layer; holds for outputs to come.
    package var gravity: VideoGravity {
        get { state.withLock { $0.layer.gravity } }
        set {
            state.withLock { state in
                state.layer.gravity = newValue
                state.layer.output?.gravity = newValue
            }
            redraw()
        }
    }

    /// Whether the screensaver is held back where the picture is seen; holds for outputs to come.
    var keepsScreenOn: Bool {
        get { state.withLock { $0.plan.wantsScreenOn } }
        set { change { $0.plan.wantsScreenOn = newValue } }
    }

    /// Draws the frame again: the output lost it, or has another size.
    package func redraw() { change { $0.plan.redraw(.redrawn, placeholder: $0.layer.placeholder) } }

    package func setPlaceholder(_ text: String?) { state.withLock { $0.layer.placeholder = text } }

    /// Sets the source of what lies over the frames; nil: nothing does.
    package func setOverlays(_ source: (any OverlaySource)?) {
        change { state in
            state.overlays = source
            state.plan.refreshOverlay()
        }
    }

    /// Draws the frame on screen again if something else lies over it now.
    package func overlayMayHaveChanged() { change { $0.plan.refreshOverlay() } }

    // MARK: frames

    /// Makes a frame ready, and shows it at a host time; without one it is only made ready. Repeated calls for a frame
    /// change its time.
    func schedule(_ frame: VideoFrame, due: Int64?) {
        let isNews = state.withLock { state in
            guard let next = state.plan.next, next.frame.id == frame.id else { return true }
            return next.due != due
        }
        if isNews { change { $0.plan.schedule(frame, due: due) } }
    }

    /// Shows a frame as soon as possible.
    func show(_ frame: VideoFrame, due: Int64) { change { $0.plan.show(frame, due: due) } }

    /// Shows a frame that was shown elsewhere, where there is none.
    func restore(_ frame: VideoFrame) { change { $0.plan.restore(frame) } }

    /// Keeps the scheduled frame ready without a time.
    ///
    /// - Returns: the frame that is seen, or that it is too late to hold.
    func hold() -> VideoFrame? {
        state.withLock { state in
            state.plan.hold()
            return state.plan.current
        }
    }

    /// Takes back a scheduled frame whose time has not come.
    func withdraw(_ id: UInt64) { state.withLock { $0.plan.withdraw(id) } }

    /// Forgets the frames of an item that has ended.
    func clear() { state.withLock { $0.plan.clear() } }

    /// Forgets the frames, and takes what is seen at the layer away.
    func removeImage() {
        change { state in
            state.plan.clear()
            if state.plan.route.feedsLayer { state.plan.showPlaceholder(nil) }
        }
    }

    /// Sets who is notified, on the presenter's thread, when frames were shown or dropped; nil: nobody takes reports.
    func setListener(_ listener: (@Sendable () -> Void)?) {
        state.withLock { state in
            state.reporting.listener = listener
            state.plan.isReporting = listener != nil
        }
    }

    /// What became of frames since the last call, and what the layer's display reported of those given to it.
    func takeReports() -> (frames: [PresentationPlan.Report], display: [PresentFeedback]) {
        state.withLock { state in
            (state.plan.takeReports(), state.reporting.takeFeedback())
        }
    }

    /// The display does not take pictures: frames whose time has passed are not worth waiting for.
    func isStuck(at now: Int64) -> Bool {
        state.withLock { $0.plan.busySince.map { now - $0 > Self.stuckPatience } ?? false }
    }

    /// Waits until all that was asked for is on screen, but for frames whose time has not come.
    ///
    /// - Returns: false when the deadline came first.
    func waitUntilIdle(until deadline: Int64) -> Bool {
        state.wait(until: deadline) { $0.plan.isIdle(now: MonotonicTime.now) ? true : nil } ?? false
    }
}
