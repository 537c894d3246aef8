import SharedFrames

/// What a router's presenter draws next: a pure value. Requests change it, and ``step(now:)`` names the next piece of
/// work.
///
/// The newest request wins: a frame that is not on screen yet is replaced by a newer one, and reported as dropped.
struct PresentationPlan {
    /// Where frames go.
    struct Route: Equatable {
        var destination = FrameRouter.Destination.layer
        /// Both places are fed because the picture comes back to the layer, which lies below the floating window.
        var isReturning = false
        /// The compositor does not take frames: the layer shows them in its stead.
        var isStalled = false
        var feedsLayer: Bool { destination != .remote || isStalled }
        var feedsRemote: Bool { destination != .layer && !isStalled }
    }

    /// A frame that waits for its time.
    struct Scheduled {
        let frame: VideoFrame
        /// Host time; nil: it is only made ready.
        var due: Int64?
    }

    /// A frame that is to be put on screen now.
    struct Showing {
        enum Reason: Equatable {
            /// Its time has come.
            case scheduled
            /// It is shown as soon as possible, whatever its time.
            case immediate
            /// The layer lost the picture, or something else lies over it: only the layer draws it, and nothing is
            /// reported.
            case redrawn
            /// As ``redrawn``, and it does not count as a repetition: the layer shows a frame again that was shown
            /// elsewhere.
            case restored
        }

        let frame: VideoFrame
        let due: Int64
        let reason: Reason
        var isNew: Bool { reason == .scheduled || reason == .immediate }
    }

    /// What became of a frame.
    struct Report {
        let frame: VideoFrame
        let due: Int64
        /// Host time at which it was given to the display; nil: it was dropped.
        let shown: Int64?
        /// It had a time of its own.
        let isScheduled: Bool
    }

    enum Step {
        case keepScreenOn(Bool)
        /// - Parameter isReady: the layer's back buffer holds the frame.
        case show(Showing, isReady: Bool)
        case placeholder(String?)
        case refreshOverlay(VideoFrame)
        /// Returns when the display server has drawn everything; the number is given to ``finished(_:)``.
        case finish(Int)
        case prepare(VideoFrame)
        case wait(until: Int64?)
    }

    /// The layer's output.
    private struct Layer {
        var isThere = false
        /// The frame in its back buffer.
        var prepared: UInt64?
        /// A placeholder that is to be drawn; the inner nil is plain black.
        var placeholder: String??
        var keepsScreenOn = false
    }

    /// The frame that is seen, or about to be.
    private(set) var current: VideoFrame?
    private(set) var next: Scheduled?
    var route = Route()
    var wantsScreenOn = false
    /// Whether reports are kept; they hold the frames.
    var isReporting = false { didSet { if !isReporting { reports = [] } } }
    private(set) var reports: [Report] = []
    /// Frames drawn again because nothing newer was there.
    private(set) var repeats = 0
    /// Host time at which the work in hand began; nil: the presenter waits.
    private(set) var busySince: Int64?
    private var showing: Showing?
    private var inHand: Showing?
    private var layer = Layer()
    private var overlayIsStale = false
    private var finishes = (requested: 0, done: 0)

    /// Reports that are kept for a player that does not take them.
    private static let reportLimit = 8

    // MARK: requests

    /// Makes a frame ready, and shows it at its time. May be repeated with another time; ignored for the frame that is
    /// seen already.
    mutating func schedule(_ frame: VideoFrame, due: Int64?) {
        guard current?.id != frame.id else { return }
        next = Scheduled(frame: frame, due: due)
    }

    /// Shows a frame as soon as possible.
    mutating func show(_ frame: VideoFrame, due: Int64) { commit(frame, due: due, reason: .immediate) }

    /// Keeps the scheduled frame ready without a time.
    mutating func hold() { next?.due = nil }

    /// Takes back a scheduled frame that has not become the current one.
    mutating func withdraw(_ id: UInt64) { if next?.frame.id == id { next = nil } }

    /// Draws the current frame at the layer again, or `placeholder` where the layer shows that.
    mutating func redraw(_ reason: Showing.Reason, placeholder: String?) {
        guard route.feedsLayer else {
            layer.placeholder = .some(placeholder)
            return
        }
        guard let current else { return }
        layer.placeholder = nil
        showing = showing ?? Showing(frame: current, due: 0, reason: reason)
    }

    /// Lets the layer show the frames that the compositor does not take, or no longer.
    mutating func setStalled(_ isStalled: Bool, placeholder: String?) {
        guard route.destination == .remote, route.isStalled != isStalled else { return }
        route.isStalled = isStalled
        isStalled ? redraw(.restored, placeholder: nil) : showPlaceholder(placeholder)
    }

    /// Draws a placeholder at the layer.
    mutating func showPlaceholder(_ text: String?) { layer.placeholder = .some(text) }

    /// Makes `frame` the current one of a layer that has none, without a report.
    mutating func restore(_ frame: VideoFrame) {
        guard current == nil else { return }
        current = frame
        redraw(.restored, placeholder: nil)
    }

    /// Forgets all frames.
    mutating func clear() { (current, next, showing, reports) = (nil, nil, nil, []) }

    /// Begins with another output, which shows nothing yet, on another thread.
    mutating func outputChanged(isThere: Bool, placeholder: String?) {
        if showing == nil { showing = inHand }
        (inHand, busySince) = (nil, nil)
        layer = Layer(isThere: isThere)
        finishes.done = finishes.requested
        if isThere { redraw(.restored, placeholder: placeholder) }
    }

    mutating func refreshOverlay() { overlayIsStale = true }

    /// - Returns: the number that ``isFinished(_:)`` takes.
    mutating func requestFinish() -> Int {
        finishes.requested += 1
        return finishes.requested
    }

    func isFinished(_ number: Int) -> Bool { finishes.done >= number }

    mutating func takeReports() -> [Report] {
        defer { reports = [] }
        return reports
    }

    // MARK: work

    /// The next piece of work. What is returned is in hand until ``completed()``, ``shown(at:)``, ``prepared(_:)`` or
    /// ``finished(_:)``.
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
        // A frame that was asked for at once is seen before the one that follows it, however late both are.
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

    /// Nothing is in hand, and nothing but a frame's time is waited for.
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

    /// The frame in hand was given to the display.
    mutating func shown(at host: Int64) {
        busySince = nil
        guard let done = inHand.take() else { return }
        // The back buffer was drawn into, or shown; the route may have changed meanwhile.
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
