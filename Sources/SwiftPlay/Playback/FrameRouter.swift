import Logging
import SharedFrames
import SystemCalls
import VideoOutput

/// Decides where frames are shown: at the player's layer, or in a window of the compositor. Picture-in-Picture changes
/// only this route.
///
/// A player schedules frames. A ``Presenter`` draws them in advance, shows them on time and reports the results. A
/// switch happens between two frames: the old place receives frames until the new place has shown one. All methods may
/// be called on any thread; no call draws or waits for a display.
package final class FrameRouter: Sendable {
    /// The destination of frames.
    package enum Destination: Equatable, Sendable {
        /// The player's layer.
        case layer
        /// Both places, until the new place has shown a frame.
        case both
        /// The compositor's floating window.
        case remote
    }

    let state = Monitor(State())
    private let inhibitor = DisplaySleepInhibitor()
    private let threads = Monitor<[NamedThread]>([])
    private let logger = Logger(label: "picture")

    /// How long a presenter may take to end with its router, nanoseconds. A presenter that hangs in a display server is
    /// abandoned after that.
    private static let endPatience: Int64 = 100_000_000
    /// The interval at which a stalled compositor is checked, nanoseconds.
    static let stallInterval: Int64 = 100_000_000
    /// How long a presenter may work on one frame before its display counts as stuck, nanoseconds.
    private static let stuckPatience: Int64 = 1_000_000_000

    /// Creates a router without an output.
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

    /// The current destination of frames.
    package var destination: Destination { state.withLock { $0.plan.route.destination } }
    /// The frame that is visible, or about to be.
    package var current: VideoFrame? { state.withLock { $0.plan.current } }
    /// The number of frames drawn again because no newer frame was available.
    package var repeats: Int { state.withLock { $0.plan.repeats } }
    /// The layer's output; nil without one.
    package var output: (any VideoOutput)? { state.withLock { $0.layer.output } }

    /// Changes the shared state and starts a presenter if there is work.
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
                        // The presenter of a removed output ends by itself; release its thread here.
                        threads.withLock { running in
                            guard let index = running.firstIndex(where: \.isCurrent) else { return }
                            running.remove(at: index).join()
                        }
                    })
            }
        } catch {
            state.withLock { $0.presenters.active = nil }
            logger.error("cannot draw video: starting a thread failed: \(error)")
        }
    }

    // MARK: Layer

    /// Sets the output on which the layer's frames are drawn; nil for none. The first frame is drawn after this method
    /// returns.
    package func setOutput(_ output: (any VideoOutput)?) {
        change { state in
            guard state.layer.output !== output else { return }
            state.layer.output = output
            output?.gravity = state.layer.gravity
            // The presenter of the old output ends when it has finished its current work.
            state.presenters.active = nil
            state.plan.outputChanged(isThere: output != nil, placeholder: state.layer.placeholder)
        }
        // A program that closes its window may exit next: release the inhibition before that. Without an output, any
        // return to the layer has ended by now.
        if output == nil, !state.withLock({ $0.keepsDesktopAwake }) { inhibitor.end() }
    }

    /// How the picture is fitted into the layer; also applies to later outputs.
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

    /// Whether the screensaver is inhibited where the picture is shown; also applies to later outputs.
    var keepsScreenOn: Bool {
        get { state.withLock { $0.plan.wantsScreenOn } }
        set { change { $0.plan.wantsScreenOn = newValue } }
    }

    /// Draws the frame again after the output has lost it or changed its size.
    package func redraw() { change { $0.plan.redraw(.redrawn, placeholder: $0.layer.placeholder) } }

    /// Sets the text that the layer shows while the picture is in the floating window; nil for plain black.
    package func setPlaceholder(_ text: String?) { state.withLock { $0.layer.placeholder = text } }

    /// Sets the source of overlays on the frames; nil for none.
    package func setOverlays(_ source: (any OverlaySource)?) {
        change { state in
            state.overlays = source
            state.plan.refreshOverlay()
        }
    }

    /// Draws the current frame again if its overlay has changed.
    package func overlayMayHaveChanged() { change { $0.plan.refreshOverlay() } }

    // MARK: Frames

    /// Prepares a frame and shows it at host time `due`; nil prepares it only. Repeated calls for a frame change its
    /// time.
    func schedule(_ frame: VideoFrame, due: Int64?) {
        let isNews = state.withLock { state in
            guard let next = state.plan.next, next.frame.id == frame.id else { return true }
            return next.due != due
        }
        if isNews { change { $0.plan.schedule(frame, due: due) } }
    }

    /// Shows a frame as soon as possible.
    func show(_ frame: VideoFrame, due: Int64) { change { $0.plan.show(frame, due: due) } }

    /// Shows a frame that another place has shown before, if there is no current frame.
    func restore(_ frame: VideoFrame) { change { $0.plan.restore(frame) } }

    /// Keeps the scheduled frame prepared, without a time.
    ///
    /// - Returns: The frame that is visible, or that is too late to hold back.
    func hold() -> VideoFrame? {
        state.withLock { state in
            state.plan.hold()
            return state.plan.current
        }
    }

    /// Withdraws a scheduled frame whose time has not come.
    func withdraw(_ id: UInt64) { state.withLock { $0.plan.withdraw(id) } }

    /// Removes the frames of an item that has ended.
    func clear() { state.withLock { $0.plan.clear() } }

    /// Removes all frames and the layer's picture.
    func removeImage() {
        change { state in
            state.plan.clear()
            if state.plan.route.feedsLayer { state.plan.showPlaceholder(nil) }
        }
    }

    /// Sets a listener that is called on the presenter's thread after frames were shown or dropped; nil disables
    /// reports.
    func setListener(_ listener: (@Sendable () -> Void)?) {
        state.withLock { state in
            state.reporting.listener = listener
            state.plan.isReporting = listener != nil
        }
    }

    /// Returns the results of frames since the last call, and the display's reports about them.
    func takeReports() -> (frames: [PresentationPlan.Report], display: [PresentFeedback]) {
        state.withLock { state in
            (state.plan.takeReports(), state.reporting.takeFeedback())
        }
    }

    /// Returns whether the display has stopped accepting frames, so that overdue frames should be dropped.
    func isStuck(at now: Int64) -> Bool {
        state.withLock { $0.plan.busySince.map { now - $0 > Self.stuckPatience } ?? false }
    }

    /// Waits until all requested work is visible, except for frames whose time has not come.
    ///
    /// - Returns: false on timeout.
    func waitUntilIdle(until deadline: Int64) -> Bool {
        state.wait(until: deadline) { $0.plan.isIdle(now: MonotonicTime.now) ? true : nil } ?? false
    }
}
