import SharedFrames
import SystemCalls
import VideoOutput

extension FrameRouter {
    /// What the router, its callers and its presenter share, behind one lock.
    struct State {
        var plan = PresentationPlan()
        var layer = Layer()
        var floating = Floating()
        var presenters = Presenters()
        var reporting = Reporting()
        /// The source of what lies over the frames.
        var overlays: (any OverlaySource)?

        var places: Places {
            Places(route: plan.route, remote: floating.remote, remoteSize: floating.size, overlays: overlays)
        }
    }

    /// The player's own place.
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
        /// The return whose picture the layer's display has not drawn yet.
        var pendingReturn: PendingReturn?
    }

    /// A return of the picture to the layer, until the layer's display has drawn it.
    struct PendingReturn {
        /// The number of the plan's finish after which the layer's picture is on screen.
        let ticket: Int
        /// Frames go to the layer alone afterwards. False while the floating window flies back: it still needs them.
        let endsHandover: Bool
        let completion: @Sendable () -> Void
    }

    /// Which presenter may work.
    struct Presenters {
        /// nil: none was needed since the output changed.
        var active: Int?
        private var count = 0

        /// Returns the number of a new presenter, which replaces the active one.
        mutating func start() -> Int {
            count += 1
            active = count
            return count
        }
    }

    /// What the player has not taken yet.
    struct Reporting {
        /// Called on the presenter's thread when there are reports.
        var listener: (@Sendable () -> Void)?
        /// What the layer's display reported.
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
}

extension FrameRouter.State {
    /// Replaces the active presenter where there is work and no presenter is active.
    ///
    /// - Returns: the new presenter's number and output.
    mutating func startPresenter(now: Int64) -> (number: Int, output: (any VideoOutput)?)? {
        guard presenters.active == nil, plan.next != nil || !plan.isIdle(now: now) else { return nil }
        return (presenters.start(), layer.output)
    }

    /// Moves the picture to the layer while the compositor does not take frames, and back.
    ///
    /// - Returns: what has changed, which is to be reported once the lock is released.
    mutating func checkRemote() -> (remote: RemotePicture, change: FrameAnswerWatch.Change)? {
        guard plan.route.destination == .remote, let remote = floating.remote, let change = remote.checkAnswers()
        else { return nil }
        if change == .answered, let current = plan.current { _ = remote.push(current, due: MonotonicTime.now) }
        plan.setStalled(change == .stalled, placeholder: layer.placeholder)
        return (remote, change)
    }

    /// The desktop's own lock screen is to be held back: the picture is in a window of the desktop, the player's or
    /// the floating one.
    var keepsDesktopAwake: Bool {
        let floats = plan.route.destination != .layer && floating.remote?.isOnDesktop == true
        return plan.wantsScreenOn && (floats || layer.output?.isOnDesktop == true)
    }

    /// Draws the current frame at the layer again, or black where there is no frame.
    ///
    /// - Returns: the number of the finish that reports it on screen.
    mutating func drawAtLayer() -> Int {
        if plan.current == nil { plan.showPlaceholder(nil) } else { plan.redraw(.restored, placeholder: nil) }
        return plan.requestFinish()
    }

    /// Sends no more frames to the floating window.
    mutating func endHandover() {
        plan.route = PresentationPlan.Route()
        floating.remote = nil
    }

    /// Ends the pending return once the layer's display has drawn the picture.
    ///
    /// - Returns: the return whose completion is to be called once the lock is released.
    mutating func takeFinishedReturn() -> FrameRouter.PendingReturn? {
        guard let pending = floating.pendingReturn, plan.isFinished(pending.ticket) else { return nil }
        return takeReturn()
    }

    /// Ends the pending return, whether the layer's display has drawn the picture or not.
    mutating func takeReturn() -> FrameRouter.PendingReturn? {
        guard let pending = floating.pendingReturn.take() else { return nil }
        if pending.endsHandover { endHandover() }
        return pending
    }
}
