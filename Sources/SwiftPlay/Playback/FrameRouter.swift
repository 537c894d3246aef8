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

    struct State {
        var output: (any VideoOutput)?
        var remote: RemotePicture?
        var plan = PresentationPlan()
        var placeholder: String? = "Playing in Picture-in-Picture"
        /// The source of what lies over the frames.
        var overlays: (any OverlaySource)?
        /// The size of the floating window; nil until it is known.
        var remoteSize: PixelSize?
        var gravity = VideoGravity.resizeAspect
        /// The presenter that may work; nil: none was needed since the output changed.
        var presenter: Int?
        var presenters = 0
        /// Called on the presenter's thread when there are reports.
        var listener: (@Sendable () -> Void)?
        /// What the layer's display reported.
        var feedback: [PresentFeedback] = []
        static let feedbackLimit = 16

        var places: Places { Places(route: plan.route, remote: remote, remoteSize: remoteSize, overlays: overlays) }

        /// Moves the picture to the layer while the compositor does not take frames, and back.
        ///
        /// - Returns: what has changed, which is to be reported once the lock is released.
        mutating func checkRemote() -> (remote: RemotePicture, change: FrameAnswerWatch.Change)? {
            guard plan.route.destination == .remote, let remote, let change = remote.checkAnswers() else { return nil }
            if change == .answered, let current = plan.current { _ = remote.push(current, due: MonotonicTime.now) }
            plan.setStalled(change == .stalled, placeholder: placeholder)
            return (remote, change)
        }

        /// The desktop's own lock screen is to be held back: the picture is in a window of the desktop, the player's or
        /// the floating one.
        var keepsDesktopAwake: Bool {
            let floats = plan.route.destination != .layer && remote?.isOnDesktop == true
            return plan.wantsScreenOn && (floats || output?.isOnDesktop == true)
        }
    }

    /// Where a frame goes, and what lies over it there.
    struct Places {
        let route: PresentationPlan.Route
        let remote: RemotePicture?
        let remoteSize: PixelSize?
        let overlays: (any OverlaySource)?

        /// What lies over a frame in the floating window.
        func remoteOverlay(over frame: VideoFrame) -> OverlayPicture? {
            guard let overlays, let remoteSize else { return nil }
            let place = OverlayPlace(size: remoteSize, format: frame.format, gravity: .resizeAspect)
            return overlays.overlay(at: frame.presentationTime, in: place)
        }
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
        state.update { $0.presenter = nil }
        let deadline = MonotonicTime.now + Self.endPatience
        for thread in threads.withLock({ $0 }) where !thread.join(until: deadline) { thread.leaveBehind() }
        inhibitor.end()
    }

    package var destination: Destination { state.withLock { $0.plan.route.destination } }
    /// The frame that is seen, or about to be.
    package var current: VideoFrame? { state.withLock { $0.plan.current } }
    /// Frames drawn again because nothing newer was there.
    package var repeats: Int { state.withLock { $0.plan.repeats } }
    package var output: (any VideoOutput)? { state.withLock { $0.output } }

    /// Changes what is to be drawn, and lets the presenter draw it.
    @discardableResult
    func change<Result>(_ body: (inout State) -> Result) -> Result {
        let result = state.update { state in
            let result = body(&state)
            inhibitor.setWanted(state.keepsDesktopAwake)
            return result
        }
        startPresenter()
        return result
    }

    /// Starts a presenter where there is work for one and none runs.
    private func startPresenter() {
        let presenter = state.withLock { state -> Presenter? in
            guard state.presenter == nil, state.plan.next != nil || !state.plan.isIdle(now: MonotonicTime.now)
            else { return nil }
            state.presenters += 1
            state.presenter = state.presenters
            return Presenter(number: state.presenters, output: state.output, state: self.state)
        }
        guard let presenter else { return }
        do throws(SystemCallError) {
            let thread = try NamedThread("presenter") { presenter.run() }
            // Presenters of earlier outputs have ended by now, unless they hang.
            threads.withLock { threads in threads = threads.filter { !$0.join(until: MonotonicTime.now) } + [thread] }
        } catch {
            state.withLock { $0.presenter = nil }
            logger.error("no picture is drawn: cannot start a thread: \(error)")
        }
    }

    // MARK: the layer

    /// Where the layer's frames are drawn; nil: nowhere. The first picture is drawn after this returns.
    package func setOutput(_ output: (any VideoOutput)?) {
        let isAwake = change { state in
            if state.output === output { return state.keepsDesktopAwake }
            state.output = output
            output?.gravity = state.gravity
            // The presenter of the old output ends as soon as it has finished what it is drawing.
            state.presenter = nil
            state.plan.outputChanged(isThere: output != nil, placeholder: state.placeholder)
            return state.keepsDesktopAwake
        }
        // A program that closes its window may exit next: the request is taken back before.
        if output == nil, !isAwake { inhibitor.end() }
    }

    /// How a picture of another shape is fitted into the layer; holds for outputs to come.
    package var gravity: VideoGravity {
        get { state.withLock { $0.gravity } }
        set {
            state.withLock { state in
                state.gravity = newValue
                state.output?.gravity = newValue
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
    package func redraw() { change { $0.plan.redraw(.redrawn, placeholder: $0.placeholder) } }

    package func setPlaceholder(_ text: String?) { state.withLock { $0.placeholder = text } }

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
            state.listener = listener
            state.plan.isReporting = listener != nil
        }
    }

    /// What became of frames since the last call, and what the layer's display reported of those given to it.
    func takeReports() -> (frames: [PresentationPlan.Report], display: [PresentFeedback]) {
        state.withLock { state in
            defer { state.feedback = [] }
            return (state.plan.takeReports(), state.feedback)
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
