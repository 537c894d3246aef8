import Logging
import SharedFrames
import SystemCalls
import VideoOutput

/// Decides where frames are shown: at the player's layer, or in a window of the compositor. Picture-in-Picture changes
/// only the destination of the frames.
///
/// A player schedules frames. A ``Presenter`` draws them in advance, shows them on time and reports the results. A
/// switch of the destination happens between two frames: the old destination receives frames until the new one has
/// shown a frame. All methods may be called on any thread. They neither draw nor wait for a window or terminal.
package final class FrameRouter: Sendable {
    /// The destinations to which frames are sent.
    package enum Destination: Equatable, Sendable {
        /// The player's layer.
        case layer
        /// Both the layer and the floating window, until the new destination has shown a frame.
        case both
        /// The compositor's floating window.
        case remote
    }

    /// The state that callers and the presenter share.
    let state = Monitor(State())
    /// Inhibits the desktop's screensaver and lock screen while video plays on the desktop.
    private let displaySleepInhibitor = DisplaySleepInhibitor()
    /// The threads of the presenters. A presenter of a replaced output may still run.
    private let presenterThreads = Monitor<[NamedThread]>([])
    private let logger = Logger(label: "picture")

    /// The time limit for the end of a presenter when its router is released, in nanoseconds. After the limit, a
    /// presenter that waits for a display server is abandoned.
    private static let joinTimeout: Int64 = 100_000_000
    /// The time between two checks of a compositor that does not accept frames, in nanoseconds.
    static let stallCheckInterval: Int64 = 100_000_000
    /// The time for which a presenter may work on one frame before the output counts as stuck, in nanoseconds.
    private static let outputStuckTimeout: Int64 = 1_000_000_000

    /// Creates a router without an output.
    package init() {}

    deinit {
        let pendingReturn = state.update { state in
            state.presenters.activePresenterNumber = nil
            return state.floatingWindow.pendingReturn.take()
        }
        pendingReturn?.completion()
        let deadline = MonotonicTime.now + Self.joinTimeout
        for thread in presenterThreads.withLock({ $0 }) where !thread.join(until: deadline) { thread.detach() }
        displaySleepInhibitor.end()
    }

    /// The destinations to which frames are sent now.
    package var destination: Destination { state.withLock { $0.plan.route.destination } }
    /// The frame that is visible, or that the presenter is about to show; nil if there is none.
    package var currentFrame: VideoFrame? { state.withLock { $0.plan.currentFrame } }
    /// The number of frames drawn again because no newer frame was available.
    package var repeatedFrameCount: Int { state.withLock { $0.plan.repeatedFrameCount } }
    /// The window or terminal output of the layer; nil if the layer has no output.
    package var output: (any VideoOutput)? { state.withLock { $0.layer.output } }

    /// Changes the shared state and starts a presenter if there is work.
    @discardableResult
    func changeState<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, finishedReturn, presenter) = state.update { state in
            let result = body(&state)
            let finishedReturn = state.takeFinishedReturn()
            displaySleepInhibitor.setInhibitionWanted(state.inhibitsLockScreen)
            return (result, finishedReturn, state.startPresenter(now: MonotonicTime.now))
        }
        if let presenter { start(Presenter(number: presenter.number, output: presenter.output, state: state)) }
        finishedReturn?.completion()
        return result
    }

    /// Starts the thread of a presenter.
    private func start(_ presenter: Presenter) {
        do throws(SystemCallError) {
            try presenterThreads.withLock { threads throws(SystemCallError) in
                threads.append(
                    try NamedThread("presenter") { [presenterThreads] in
                        presenter.run()
                        // Release the thread of a presenter that has ended because its output was replaced.
                        presenterThreads.withLock { threads in
                            guard let index = threads.firstIndex(where: \.isCurrent) else { return }
                            threads.remove(at: index).join()
                        }
                    })
            }
        } catch {
            state.withLock { $0.presenters.activePresenterNumber = nil }
            logger.error("cannot draw video: starting a thread failed: \(error)")
        }
    }

    // MARK: Layer

    /// Sets the output on which the layer's frames are drawn; nil for none. The first frame is drawn after this method
    /// returns.
    package func setOutput(_ output: (any VideoOutput)?) {
        changeState { state in
            guard state.layer.output !== output else { return }
            state.layer.output = output
            output?.gravity = state.layer.gravity
            // The presenter of the old output ends when it has finished its current work.
            state.presenters.activePresenterNumber = nil
            state.plan.outputDidChange(hasOutput: output != nil, placeholder: state.layer.placeholder)
        }
        // A program that closes its window may exit next: release the screensaver inhibition before that. Without an
        // output, no return of the picture to the layer is pending.
        if output == nil, !state.withLock({ $0.inhibitsLockScreen }) { displaySleepInhibitor.end() }
    }

    /// The scaling of the picture to the size of the layer; also applies to later outputs.
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
        set { changeState { $0.plan.wantsScreenOn = newValue } }
    }

    /// Draws the current frame again, after the output has lost the picture or changed its size.
    package func redraw() { changeState { $0.plan.redraw(.redrawn, placeholder: $0.layer.placeholder) } }

    /// Sets the text that the layer shows while the picture is in the floating window; nil for plain black.
    package func setPlaceholder(_ text: String?) { state.withLock { $0.layer.placeholder = text } }

    /// Sets the source of overlays (subtitles) on the frames; nil for none.
    package func setOverlays(_ source: (any OverlaySource)?) {
        changeState { state in
            state.overlays = source
            state.plan.refreshOverlay()
        }
    }

    /// Draws the current frame again if its overlay has changed.
    package func refreshOverlay() { changeState { $0.plan.refreshOverlay() } }

    // MARK: Frames

    /// Draws a frame in advance and shows it at host time `dueTime`; if `dueTime` is nil, only draws it. Another
    /// call for the same frame changes its time.
    func schedule(_ frame: VideoFrame, due dueTime: Int64?) {
        let isChange = state.withLock { state in
            guard let scheduled = state.plan.scheduledFrame, scheduled.frame.id == frame.id else { return true }
            return scheduled.due != dueTime
        }
        if isChange { changeState { $0.plan.schedule(frame, due: dueTime) } }
    }

    /// Shows a frame as soon as possible.
    func show(_ frame: VideoFrame, due dueTime: Int64) { changeState { $0.plan.show(frame, due: dueTime) } }

    /// Shows a frame as soon as possible instead of the current frame, if that has the number `id`.
    ///
    /// - Returns: Whether the frame is shown.
    func replace(_ id: UInt64, with frame: VideoFrame, due dueTime: Int64) -> Bool {
        changeState { state in
            guard state.plan.currentFrame?.id == id else { return false }
            state.plan.show(frame, due: dueTime)
            return true
        }
    }

    /// Shows a frame that another layer has shown before, if there is no current frame.
    func restore(_ frame: VideoFrame) { changeState { $0.plan.restore(frame) } }

    /// Prevents the scheduled frame from being shown at its time. The picture that was drawn for it is kept for later.
    ///
    /// - Returns: The current frame: the frame that is visible, or that the presenter is already showing.
    func unschedule() -> VideoFrame? {
        state.withLock { state in
            state.plan.unschedule()
            return state.plan.currentFrame
        }
    }

    /// Cancels a scheduled frame whose due time has not been reached.
    func withdraw(_ id: UInt64) { state.withLock { $0.plan.withdraw(id) } }

    /// Removes the frames of an item that has ended.
    func clear() { state.withLock { $0.plan.clear() } }

    /// Removes all frames and the layer's picture.
    func removeImage() {
        changeState { state in
            state.plan.clear()
            if state.plan.route.showsAtLayer { state.plan.showPlaceholder(nil) }
        }
    }

    /// Sets a listener that is called on the presenter's thread after frames were shown or dropped; nil disables
    /// reports.
    func setListener(_ listener: (@Sendable () -> Void)?) {
        state.withLock { state in
            state.frameReports.listener = listener
            state.plan.isReportingEnabled = listener != nil
        }
    }

    /// Returns and removes the presenter's reports about shown and dropped frames, and the layer output's reports about
    /// when frames became visible.
    func takeReports() -> (frames: [PresentationPlan.Report], display: [PresentFeedback]) {
        state.withLock { state in
            (state.plan.takeReports(), state.frameReports.takeFeedback())
        }
    }

    /// Returns whether the layer's output has stopped accepting frames, so that overdue frames should be dropped.
    func isOutputStuck(at now: Int64) -> Bool {
        state.withLock { $0.plan.busySince.map { now - $0 > Self.outputStuckTimeout } ?? false }
    }

    /// Waits until the presenter has no pending or due work. A scheduled frame may still wait for its due time.
    ///
    /// - Returns: false on timeout.
    func waitUntilIdle(until deadline: Int64) -> Bool {
        state.wait(until: deadline) { $0.plan.isIdle(now: MonotonicTime.now) ? true : nil } ?? false
    }
}
