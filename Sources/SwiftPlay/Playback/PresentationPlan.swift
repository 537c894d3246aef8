import SharedFrames

/// Decides what a router's presenter draws next: a pure value. Requests change the plan, and ``step(now:)`` returns the
/// next piece of work.
///
/// The newest request wins: a newer frame replaces one that is not visible yet, and the old frame is reported as
/// dropped.
struct PresentationPlan {
    /// The destination of frames.
    struct Route: Equatable {
        var destination = FrameRouter.Destination.layer
        /// Both places receive frames because the picture returns to the layer, which lies below the floating window.
        var isReturning = false
        /// The compositor does not accept frames: the layer shows them instead.
        var isStalled = false
        var feedsLayer: Bool { destination != .remote || isStalled }
        var feedsRemote: Bool { destination != .layer && !isStalled }
    }

    /// A frame that waits for its time.
    struct Scheduled {
        let frame: VideoFrame
        /// Host time at which the frame is shown; nil if it is only prepared.
        var due: Int64?
    }

    /// A frame that is due now.
    struct Showing {
        enum Reason: Equatable {
            /// The frame's time has come.
            case scheduled
            /// Shown as soon as possible, regardless of its time.
            case immediate
            /// The layer lost the picture, or its overlay changed: only the layer draws the frame, without a report.
            case redrawn
            /// Drawn by the layer as for ``redrawn``, but not counted as a repetition: another place showed the frame
            /// before.
            case restored
        }

        let frame: VideoFrame
        let due: Int64
        let reason: Reason
        var isNew: Bool { reason == .scheduled || reason == .immediate }
    }

    /// The result of a frame.
    struct Report {
        let frame: VideoFrame
        let due: Int64
        /// Host time at which the frame was passed to the display; nil if it was dropped.
        let shown: Int64?
        /// Whether the frame was scheduled for a time.
        let isScheduled: Bool
    }

    enum Step {
        case keepScreenOn(Bool)
        /// - Parameter isReady: Whether the layer's back buffer already holds the frame.
        case show(Showing, isReady: Bool)
        case placeholder(String?)
        case refreshOverlay(VideoFrame)
        /// Waits until the display server has drawn everything, then passes the number to ``finished(_:)``.
        case finish(Int)
        case prepare(VideoFrame)
        case wait(until: Int64?)
    }

    /// The layer's output.
    private struct Layer {
        var isThere = false
        /// The number of the frame in the layer's back buffer.
        var prepared: UInt64?
        /// The placeholder to draw; the inner nil stands for plain black.
        var placeholder: String??
        var keepsScreenOn = false
    }

    /// The frame that is visible, or about to be.
    private(set) var current: VideoFrame?
    private(set) var next: Scheduled?
    var route = Route()
    var wantsScreenOn = false
    /// Whether reports are kept. Reports retain their frames.
    var isReporting = false { didSet { if !isReporting { reports = [] } } }
    private(set) var reports: [Report] = []
    /// The number of frames drawn again because no newer frame was available.
    private(set) var repeats = 0
    /// Host time at which the current work began; nil while the presenter waits.
    private(set) var busySince: Int64?
    private var showing: Showing?
    private var inHand: Showing?
    private var layer = Layer()
    private var overlayIsStale = false
    private var finishes = (requested: 0, done: 0)

    /// The number of reports kept for a player that does not take them.
    private static let reportLimit = 8

    // MARK: Requests

    /// Prepares a frame and shows it at its time. Repeated calls change the time. The call has no effect for the
    /// current frame.
    mutating func schedule(_ frame: VideoFrame, due: Int64?) {
        guard current?.id != frame.id else { return }
        next = Scheduled(frame: frame, due: due)
    }

    /// Shows a frame as soon as possible.
    mutating func show(_ frame: VideoFrame, due: Int64) { commit(frame, due: due, reason: .immediate) }

    /// Keeps the scheduled frame prepared, without a time.
    mutating func hold() { next?.due = nil }

    /// Withdraws a scheduled frame that has not become the current one.
    mutating func withdraw(_ id: UInt64) { if next?.frame.id == id { next = nil } }

    /// Draws the current frame at the layer again, or `placeholder` if the layer shows no frames.
    mutating func redraw(_ reason: Showing.Reason, placeholder: String?) {
        guard route.feedsLayer else {
            layer.placeholder = .some(placeholder)
            return
        }
        guard let current else { return }
        layer.placeholder = nil
        showing = showing ?? Showing(frame: current, due: 0, reason: reason)
    }

    /// Makes the layer show the frames while the compositor does not accept them.
    mutating func setStalled(_ isStalled: Bool, placeholder: String?) {
        guard route.destination == .remote, route.isStalled != isStalled else { return }
        route.isStalled = isStalled
        isStalled ? redraw(.restored, placeholder: nil) : showPlaceholder(placeholder)
    }

    /// Draws a placeholder at the layer.
    mutating func showPlaceholder(_ text: String?) { layer.placeholder = .some(text) }

    /// Makes `frame` the current frame if there is none, without a report.
    mutating func restore(_ frame: VideoFrame) {
        guard current == nil else { return }
        current = frame
        redraw(.restored, placeholder: nil)
    }

    /// Removes all frames and reports.
    mutating func clear() { (current, next, showing, reports) = (nil, nil, nil, []) }

    /// Switches to another output, which shows no frame yet and has a new presenter thread.
    mutating func outputChanged(isThere: Bool, placeholder: String?) {
        if showing == nil { showing = inHand }
        (inHand, busySince) = (nil, nil)
        layer = Layer(isThere: isThere)
        finishes.done = finishes.requested
        if isThere { redraw(.restored, placeholder: placeholder) }
    }

    mutating func refreshOverlay() { overlayIsStale = true }

    /// Requests that the presenter wait for the display server.
    ///
    /// - Returns: The number for ``isFinished(_:)``.
    mutating func requestFinish() -> Int {
        finishes.requested += 1
        return finishes.requested
    }

    func isFinished(_ number: Int) -> Bool { finishes.done >= number }

    mutating func takeReports() -> [Report] {
        defer { reports = [] }
        return reports
    }

    // MARK: Work

    /// Returns the next piece of work. The work is pending until ``completed()``, ``shown(at:)``, ``prepared(_:)`` or
    /// ``finished(_:)`` is called.
    mutating func step(now: Int64) -> Step {
        let step = nextStep(now: now)
        if case .wait = step { busySince = nil } else { busySince = now }
        return step
    }

    private mutating func nextStep(now: Int64) -> Step {
        if layer.isThere, layer.keepsScreenOn != wantsScreenOn {
            layer.keepsScreenOn = wantsScreenOn
            return .keepScreenOn(wantsScreenOn)
        }
        // An immediate frame is shown before a scheduled one that follows it, even if both are late.
        if let next, let due = next.due, due <= now, showing?.isNew != true {
            commit(next.frame, due: due, reason: .scheduled)
        }
        if let showing {
            (self.showing, inHand) = (nil, showing)
            return .show(showing, isReady: layer.prepared == showing.frame.id)
        }
        if layer.isThere, let text = layer.placeholder.take() {
            layer.prepared = nil
            return .placeholder(text)
        }
        if overlayIsStale {
            overlayIsStale = false
            if let current { return .refreshOverlay(current) }
        }
        if finishes.done < finishes.requested { return .finish(finishes.requested) }
        if let next, layer.isThere, route.feedsLayer, layer.prepared != next.frame.id { return .prepare(next.frame) }
        return .wait(until: next?.due)
    }

    /// Returns whether no work is pending or due; a frame may still wait for its time.
    func isIdle(now: Int64) -> Bool {
        var plan = self
        guard busySince == nil, case .wait = plan.nextStep(now: now) else { return false }
        return true
    }

    mutating func completed() { busySince = nil }

    mutating func prepared(_ frame: VideoFrame) {
        layer.prepared = frame.id
        busySince = nil
    }

    /// Records that the pending frame was passed to the display.
    mutating func shown(at host: Int64) {
        busySince = nil
        guard let done = inHand.take() else { return }
        // The back buffer was shown or overwritten; the route may have changed in the meantime.
        layer.prepared = nil
        if done.reason == .redrawn { repeats += 1 }
        if done.isNew { report(done, shown: host) }
    }

    mutating func finished(_ number: Int) {
        busySince = nil
        finishes.done = max(finishes.done, number)
    }

    private mutating func commit(_ frame: VideoFrame, due: Int64, reason: Showing.Reason) {
        if next?.frame.id == frame.id { next = nil }
        if let old = showing, old.isNew { report(old, shown: nil) }
        current = frame
        if route.feedsLayer { layer.placeholder = nil }
        showing = Showing(frame: frame, due: due, reason: reason)
    }

    private mutating func report(_ frame: Showing, shown: Int64?) {
        guard isReporting else { return }
        if reports.count >= Self.reportLimit { reports.removeFirst() }
        reports.append(
            Report(frame: frame.frame, due: frame.due, shown: shown, isScheduled: frame.reason == .scheduled))
    }
}
