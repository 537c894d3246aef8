import SharedFrames
import SystemCalls
import VideoOutput

extension FrameRouter {
    /// State that the router, its callers and its presenter share, behind one lock.
    struct State {
        /// The plan of which frame the presenter draws next, and where.
        var plan = PresentationPlan()
        /// The player's layer, in a window or terminal of the program.
        var layer = Layer()
        /// The floating window of Picture-in-Picture.
        var floatingWindow = FloatingWindow()
        /// The router's presenters, of which at most one is active.
        var presenters = Presenters()
        /// Reports to the player about shown and dropped frames.
        var frameReports = FrameReports()
        /// The source of the overlays (subtitles) on the frames.
        var overlays: (any OverlaySource)?

        /// The destinations of the current frame. The presenter reads this value once and draws without the lock.
        var destinations: FrameDestinations {
            FrameDestinations(
                route: plan.route, frameSink: floatingWindow.frameSink, floatingWindowSize: floatingWindow.size,
                overlays: overlays)
        }
    }

    /// The state of the player's layer.
    struct Layer {
        /// The output of the layer's window or terminal; nil without one.
        var output: (any VideoOutput)?
        /// The scaling of the picture to the size of the layer.
        var gravity = VideoGravity.resizeAspect
        /// The text that the layer shows while the picture is in the floating window; nil for plain black.
        var placeholder: String? = "Playing in Picture-in-Picture"
    }

    /// The floating window.
    struct FloatingWindow {
        /// The sink that sends frames to the floating window; nil without Picture-in-Picture.
        var frameSink: RemoteFrameSink?
        /// The size of the floating window in pixels; nil until it is known.
        var size: PixelSize?
        /// The return of the picture to the layer that is under way: the layer's output has not drawn the frame yet.
        var pendingReturn: PendingReturn?
    }

    /// A return of the picture to the layer, until the layer's output has drawn the picture.
    struct PendingReturn {
        /// The number of the wait for the layer's output (``PresentationPlan/requestWaitUntilDrawn()``), which ends
        /// when the layer's picture is visible.
        let drawWaitNumber: Int
        /// Whether frames go to the layer alone after the return. False during the return animation, in which the
        /// floating window still needs frames.
        let endsHandover: Bool
        /// Called once, when the return has ended.
        let completion: @Sendable () -> Void
    }

    /// The presenters of a router, each with its own thread. At most one presenter is active.
    struct Presenters {
        /// The number of the active presenter; nil if there was no work since the output changed.
        var activePresenterNumber: Int?
        /// The number of presenters that were started so far.
        private var startedCount = 0

        /// Returns the number of a new presenter, which replaces the active one.
        mutating func start() -> Int {
            startedCount += 1
            activePresenterNumber = startedCount
            return startedCount
        }
    }

    /// Reports about shown and dropped frames that the player has not taken yet.
    struct FrameReports {
        /// Called on the presenter's thread when there are new reports.
        var listener: (@Sendable () -> Void)?
        /// The reports of the layer's output about when frames became visible.
        private var feedback: [PresentFeedback] = []
        /// The maximum number of reports that are kept for a player that does not take them.
        static let feedbackLimit = 16

        /// Adds reports of the layer's output about when frames became visible.
        mutating func add(_ newFeedback: [PresentFeedback]) {
            if !newFeedback.isEmpty { feedback = (feedback + newFeedback).suffix(Self.feedbackLimit) }
        }

        /// Returns and removes the reports of the layer's output.
        mutating func takeFeedback() -> [PresentFeedback] {
            defer { feedback = [] }
            return feedback
        }
    }

    /// The destinations of a frame, and the source of its overlay (subtitles).
    struct FrameDestinations {
        /// Whether frames go to the layer, to the floating window, or to both.
        let route: PresentationPlan.Route
        /// The sink that sends frames to the floating window.
        let frameSink: RemoteFrameSink?
        /// The size of the floating window in pixels; nil if it is unknown.
        let floatingWindowSize: PixelSize?
        /// The source of overlays (subtitles).
        let overlays: (any OverlaySource)?

        /// Returns a frame's overlay (subtitles) for the floating window; nil if there is none.
        func floatingWindowOverlay(over frame: VideoFrame) -> OverlayPicture? {
            guard let overlays, let floatingWindowSize else { return nil }
            let geometry = OverlayGeometry(size: floatingWindowSize, format: frame.format, gravity: .resizeAspect)
            return overlays.overlay(at: frame.presentationTime, in: geometry)
        }
    }
}

extension FrameRouter.State {
    /// Starts a presenter if there is something to draw and no presenter is active.
    ///
    /// - Returns: The new presenter's number and output.
    mutating func startPresenter(now: Int64) -> (number: Int, output: (any VideoOutput)?)? {
        guard presenters.activePresenterNumber == nil, plan.scheduledFrame != nil || !plan.isIdle(now: now) else {
            return nil
        }
        return (presenters.start(), layer.output)
    }

    /// Moves the picture to the layer while the compositor does not accept frames, and back to the floating window
    /// afterwards.
    ///
    /// - Returns: The change to report after the lock is released.
    mutating func updateCompositorStall() -> (frameSink: RemoteFrameSink, change: FrameReleaseMonitor.Change)? {
        guard plan.route.destination == .remote, let frameSink = floatingWindow.frameSink,
            let change = frameSink.checkReleases()
        else { return nil }
        if change == .resumed, let currentFrame = plan.currentFrame {
            _ = frameSink.push(currentFrame, due: MonotonicTime.now)
        }
        plan.setStalled(change == .stalled, placeholder: layer.placeholder)
        return (frameSink, change)
    }

    /// Whether to inhibit the desktop's lock screen: the picture is in a window of the desktop, either the player's or
    /// the floating window.
    var inhibitsLockScreen: Bool {
        let isFloatingOnDesktop = plan.route.destination != .layer && floatingWindow.frameSink?.isOnDesktop == true
        return plan.wantsScreenOn && (isFloatingOnDesktop || layer.output?.isOnDesktop == true)
    }

    /// Draws the current frame at the layer again, or black without a frame.
    ///
    /// - Returns: The number of the wait that ends when the layer's output has made the picture visible.
    mutating func drawAtLayer() -> Int {
        if plan.currentFrame == nil { plan.showPlaceholder(nil) } else { plan.redraw(.restored, placeholder: nil) }
        return plan.requestWaitUntilDrawn()
    }

    /// Stops sending frames to the floating window.
    mutating func endHandover() {
        plan.route = PresentationPlan.Route()
        floatingWindow.frameSink = nil
    }

    /// Ends the pending return of the picture to the layer, if the layer's output has drawn the picture.
    ///
    /// - Returns: The return whose completion the caller calls after releasing the lock.
    mutating func takeFinishedReturn() -> FrameRouter.PendingReturn? {
        guard let pending = floatingWindow.pendingReturn, plan.isDrawn(pending.drawWaitNumber) else { return nil }
        return takePendingReturn()
    }

    /// Ends the pending return of the picture to the layer, even if the layer's output has not drawn the picture.
    mutating func takePendingReturn() -> FrameRouter.PendingReturn? {
        guard let pending = floatingWindow.pendingReturn.take() else { return nil }
        if pending.endsHandover { endHandover() }
        return pending
    }
}
