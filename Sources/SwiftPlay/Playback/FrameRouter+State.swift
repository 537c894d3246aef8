import SharedFrames
import SystemCalls
import VideoOutput

extension FrameRouter {
    /// State that the router, its callers and its presenter share, behind one lock.
    struct State {
        var plan = PresentationPlan()
        var layer = Layer()
        var floating = Floating()
        var presenters = Presenters()
        var reporting = Reporting()
        /// The source of overlays on the frames.
        var overlays: (any OverlaySource)?

        var places: Places {
            Places(route: plan.route, remote: floating.remote, remoteSize: floating.size, overlays: overlays)
        }
    }

    /// The player's layer.
    struct Layer {
        var output: (any VideoOutput)?
        var gravity = VideoGravity.resizeAspect
        var placeholder: String? = "Playing in Picture-in-Picture"
    }

    /// The floating window.
    struct Floating {
        var remote: RemotePicture?
        /// The size of the window; nil until it is known.
        var size: PixelSize?
        /// The return whose frame the layer's display has not drawn yet.
        var pendingReturn: PendingReturn?
    }

    /// A return of the picture to the layer, until the layer's display has drawn it.
    struct PendingReturn {
        /// The number of the plan's finish request after which the layer's picture is visible.
        let ticket: Int
        /// Whether frames go to the layer alone afterwards. False during the return animation, in which the floating
        /// window still needs them.
        let endsHandover: Bool
        let completion: @Sendable () -> Void
    }

    /// The presenter that is allowed to work.
    struct Presenters {
        /// The number of the active presenter; nil if there was no work since the output changed.
        var active: Int?
        private var count = 0

        /// Returns the number of a new presenter, which replaces the active one.
        mutating func start() -> Int {
            count += 1
            active = count
            return count
        }
    }

    /// Reports that the player has not taken yet.
    struct Reporting {
        /// Called on the presenter's thread when there are new reports.
        var listener: (@Sendable () -> Void)?
        /// The reports of the layer's display.
        private var feedback: [PresentFeedback] = []
        static let feedbackLimit = 16

        mutating func add(_ new: [PresentFeedback]) {
            if !new.isEmpty { feedback = (feedback + new).suffix(Self.feedbackLimit) }
        }

        mutating func takeFeedback() -> [PresentFeedback] {
            defer { feedback = [] }
            return feedback
        }
    }

    /// The places to which a frame goes, and the source of its overlay.
    struct Places {
        let route: PresentationPlan.Route
        let remote: RemotePicture?
        let remoteSize: PixelSize?
        let overlays: (any OverlaySource)?

        /// Returns a frame's overlay in the floating window; nil without one.
        func remoteOverlay(over frame: VideoFrame) -> OverlayPicture? {
            guard let overlays, let remoteSize else { return nil }
            let place = OverlayPlace(size: remoteSize, format: frame.format, gravity: .resizeAspect)
            return overlays.overlay(at: frame.presentationTime, in: place)
        }
    }
}

extension FrameRouter.State {
    /// Starts a presenter if there is work and no presenter is active.
    ///
    /// - Returns: The new presenter's number and output.
    mutating func startPresenter(now: Int64) -> (number: Int, output: (any VideoOutput)?)? {
        guard presenters.active == nil, plan.next != nil || !plan.isIdle(now: now) else { return nil }
        return (presenters.start(), layer.output)
    }

    /// Moves the picture to the layer while the compositor does not accept frames, and back afterwards.
    ///
    /// - Returns: The change to report after the lock is released.
    mutating func checkRemote() -> (remote: RemotePicture, change: FrameAnswerWatch.Change)? {
        guard plan.route.destination == .remote, let remote = floating.remote, let change = remote.checkAnswers()
        else { return nil }
        if change == .answered, let current = plan.current { _ = remote.push(current, due: MonotonicTime.now) }
        plan.setStalled(change == .stalled, placeholder: layer.placeholder)
        return (remote, change)
    }

    /// Whether to inhibit the desktop's lock screen: the picture is in a window of the desktop, either the player's or
    /// the floating window.
    var keepsDesktopAwake: Bool {
        let floats = plan.route.destination != .layer && floating.remote?.isOnDesktop == true
        return plan.wantsScreenOn && (floats || layer.output?.isOnDesktop == true)
    }

    /// Draws the current frame at the layer again, or black without a frame.
    ///
    /// - Returns: The number of the finish request that reports it as visible.
    mutating func drawAtLayer() -> Int {
        if plan.current == nil { plan.showPlaceholder(nil) } else { plan.redraw(.restored, placeholder: nil) }
        return plan.requestFinish()
    }

    /// Stops sending frames to the floating window.
    mutating func endHandover() {
        plan.route = PresentationPlan.Route()
        floating.remote = nil
    }

    /// Ends the pending return once the layer's display has drawn the picture.
    ///
    /// - Returns: The return whose completion the caller calls after releasing the lock.
    mutating func takeFinishedReturn() -> FrameRouter.PendingReturn? {
        guard let pending = floating.pendingReturn, plan.isFinished(pending.ticket) else { return nil }
        return takeReturn()
    }

    /// Ends the pending return, even if the layer's display has not drawn the picture.
    mutating func takeReturn() -> FrameRouter.PendingReturn? {
        guard let pending = floating.pendingReturn.take() else { return nil }
        if pending.endsHandover { endHandover() }
        return pending
    }
}
