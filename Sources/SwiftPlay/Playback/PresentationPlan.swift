import SharedFrames

/// Decides what a router's presenter draws next: a pure value. Requests change the plan; ``nextAction(now:)`` returns
/// the next piece of work.
///
/// The newest request wins: a newer frame replaces one that is not visible yet, and the old frame is reported as
/// dropped.
struct PresentationPlan {
    /// The destination of frames.
    struct Route: Equatable {
        /// The layer, the floating window or both.
        var destination = FrameRouter.Destination.layer
        /// Whether both the layer and the floating window receive frames because the picture returns to the layer,
        /// which lies below the floating window.
        var isReturning = false
        /// Whether the compositor does not accept frames, so that the layer shows them instead.
        var isStalled = false
        /// Whether the layer draws frames.
        var showsAtLayer: Bool { destination != .remote || isStalled }
        /// Whether the floating window receives frames.
        var sendsToFloatingWindow: Bool { destination != .layer && !isStalled }
    }

    /// A frame that waits for its time.
    struct ScheduledFrame {
        let frame: VideoFrame
        /// The host time at which the frame is shown; nil if the frame is only drawn in advance.
        var due: Int64?
    }

    /// A frame that is due now.
    struct DueFrame {
        /// The reason for which a frame is shown.
        enum Reason: Equatable {
            /// The frame was scheduled, and its host time has been reached.
            case scheduled
            /// Shown as soon as possible, regardless of its time.
            case immediate
            /// The layer lost the picture, or its overlay changed: only the layer draws the frame, without a report.
            case redrawn
            /// Drawn by the layer as for ``redrawn``, but not counted as a repetition: the floating window or another
            /// layer showed the frame before.
            case restored
        }

        let frame: VideoFrame
        /// The host time at which the frame should be visible.
        let due: Int64
        /// The reason for which the frame is shown.
        let reason: Reason
        /// Whether the frame is shown for the first time, so that a report about it is created.
        var isNew: Bool { reason == .scheduled || reason == .immediate }
    }

    /// A report to the player about a frame that was shown or dropped.
    struct Report {
        let frame: VideoFrame
        /// The host time at which the frame should have been visible.
        let due: Int64
        /// The host time at which the frame was passed to the output; nil if it was dropped.
        let shownTime: Int64?
        /// Whether the frame was scheduled for a time.
        let isScheduled: Bool
    }

    /// A piece of work of the presenter.
    enum Action {
        /// Inhibit the screensaver of the output, or permit it again.
        case keepScreenOn(Bool)
        /// Show a frame. If `isReady`, the frame is already drawn into the layer's back buffer.
        case show(DueFrame, isReady: Bool)
        /// Draw a placeholder at the layer; nil for plain black.
        case placeholder(String?)
        /// Update the overlay of the frame that is visible.
        case refreshOverlay(VideoFrame)
        /// Wait until the layer's output has drawn everything, then pass the number to ``outputDidDraw(_:)``.
        case waitUntilDrawn(Int)
        /// Draw a frame that is shown later into the layer's back buffer.
        case prepare(VideoFrame)
        /// No work before this host time; nil to wait for a request.
        case wait(until: Int64?)
    }

    /// The state of the layer's output.
    private struct Layer {
        /// Whether the layer has an output that draws.
        var hasOutput = false
        /// The id of the frame in the layer's back buffer; nil if the buffer holds no frame drawn in advance.
        var preparedFrameID: UInt64?
        /// The placeholder to draw; the inner nil stands for plain black.
        var placeholder: String??
        /// Whether the output's screensaver is inhibited.
        var keepsScreenOn = false
    }

    /// The frame that is visible, or that the presenter is about to show.
    private(set) var currentFrame: VideoFrame?
    /// The frame that is shown next; nil if none is scheduled.
    private(set) var scheduledFrame: ScheduledFrame?
    /// The destinations to which frames are sent now.
    var route = Route()
    /// Whether the screensaver should be inhibited.
    var wantsScreenOn = false
    /// Whether reports are kept. Reports retain their frames.
    var isReportingEnabled: Bool {
        get { reports != nil }
        set { reports = newValue ? reports ?? [] : nil }
    }
    /// The reports about frames that the player has not taken; nil while reporting is off.
    private(set) var reports: [Report]?
    /// The number of frames drawn again because no newer frame was available.
    private(set) var repeatedFrameCount = 0
    /// The host time at which the presenter's current work began; nil while the presenter waits.
    private(set) var busySince: Int64?
    /// The frame that is due now and that the presenter has not begun to show.
    private var dueFrame: DueFrame?
    /// The frame that the presenter is showing.
    private var presentedFrame: DueFrame?
    /// The state of the layer's output: its placeholder, its back buffer and its screensaver.
    private var layer = Layer()
    /// Whether the overlay of the visible frame must be drawn again.
    private var isOverlayStale = false
    /// The numbers of the last requested and of the last completed wait until the layer's output has drawn everything.
    private var drawWaits = (requestedNumber: 0, completedNumber: 0)

    /// The maximum number of reports that are kept for a player that does not take them.
    private static let reportLimit = 8

    // MARK: Requests

    /// Prepares a frame and shows it at its time. Scheduling the frame again changes its time. Has no effect for the
    /// current frame.
    mutating func schedule(_ frame: VideoFrame, due: Int64?) {
        guard currentFrame?.id != frame.id else { return }
        scheduledFrame = ScheduledFrame(frame: frame, due: due)
    }

    /// Shows a frame as soon as possible.
    mutating func show(_ frame: VideoFrame, due: Int64) { makeCurrent(frame, due: due, reason: .immediate) }

    /// Cancels the time at which the scheduled frame is shown. The frame stays drawn in advance.
    mutating func unschedule() { scheduledFrame?.due = nil }

    /// Withdraws a scheduled frame that has not become the current frame.
    mutating func withdraw(_ id: UInt64) { if scheduledFrame?.frame.id == id { scheduledFrame = nil } }

    /// Draws the current frame at the layer again, or `placeholder` if the layer shows no frames.
    mutating func redraw(_ reason: DueFrame.Reason, placeholder: String?) {
        guard route.showsAtLayer else {
            layer.placeholder = .some(placeholder)
            return
        }
        guard let currentFrame else { return }
        layer.placeholder = nil
        dueFrame = dueFrame ?? DueFrame(frame: currentFrame, due: 0, reason: reason)
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
        guard currentFrame == nil else { return }
        currentFrame = frame
        redraw(.restored, placeholder: nil)
    }

    /// Removes all frames and reports.
    mutating func clear() {
        (currentFrame, scheduledFrame, dueFrame, reports) = (nil, nil, nil, reports.map { _ in [] })
    }

    /// Switches to another output, which shows no frame yet and has a new presenter thread.
    mutating func outputDidChange(hasOutput: Bool, placeholder: String?) {
        if dueFrame == nil { dueFrame = presentedFrame }
        (presentedFrame, busySince) = (nil, nil)
        layer = Layer(hasOutput: hasOutput)
        drawWaits.completedNumber = drawWaits.requestedNumber
        if hasOutput { redraw(.restored, placeholder: placeholder) }
    }

    /// Requests that the overlay of the visible frame be drawn again.
    mutating func refreshOverlay() { isOverlayStale = true }

    /// Requests that the presenter wait until the layer's output has drawn everything.
    ///
    /// - Returns: The number of this request, for ``isDrawn(_:)``.
    mutating func requestWaitUntilDrawn() -> Int {
        drawWaits.requestedNumber += 1
        return drawWaits.requestedNumber
    }

    /// Returns whether everything requested before ``requestWaitUntilDrawn()`` returned `number` is visible.
    func isDrawn(_ number: Int) -> Bool { drawWaits.completedNumber >= number }

    /// Returns and removes the reports about frames.
    mutating func takeReports() -> [Report] {
        defer { reports = reports.map { _ in [] } }
        return reports ?? []
    }

    // MARK: Work

    /// Returns the next piece of work. The work is pending until ``didComplete()``, ``didShow(at:)``,
    /// ``didPrepare(_:)`` or ``outputDidDraw(_:)`` is called.
    mutating func nextAction(now: Int64) -> Action {
        let action = takeNextAction(now: now)
        if case .wait = action { busySince = nil } else { busySince = now }
        return action
    }

    /// Returns the next piece of work, and removes it from the plan.
    private mutating func takeNextAction(now: Int64) -> Action {
        if layer.hasOutput, layer.keepsScreenOn != wantsScreenOn {
            layer.keepsScreenOn = wantsScreenOn
            return .keepScreenOn(wantsScreenOn)
        }
        // An immediate frame is shown before a scheduled one that follows it, even if both are late.
        if let scheduledFrame, let due = scheduledFrame.due, due <= now, dueFrame?.isNew != true {
            makeCurrent(scheduledFrame.frame, due: due, reason: .scheduled)
        }
        if let dueFrame {
            (self.dueFrame, presentedFrame) = (nil, dueFrame)
            return .show(dueFrame, isReady: layer.preparedFrameID == dueFrame.frame.id)
        }
        if layer.hasOutput, let text = layer.placeholder.take() {
            layer.preparedFrameID = nil
            return .placeholder(text)
        }
        if isOverlayStale {
            isOverlayStale = false
            if let currentFrame { return .refreshOverlay(currentFrame) }
        }
        if drawWaits.completedNumber < drawWaits.requestedNumber { return .waitUntilDrawn(drawWaits.requestedNumber) }
        if let scheduledFrame, layer.hasOutput, route.showsAtLayer, layer.preparedFrameID != scheduledFrame.frame.id {
            return .prepare(scheduledFrame.frame)
        }
        return .wait(until: scheduledFrame?.due)
    }

    /// Returns whether no work is pending or due; a frame may still wait for its time.
    func isIdle(now: Int64) -> Bool {
        var plan = self
        guard busySince == nil, case .wait = plan.takeNextAction(now: now) else { return false }
        return true
    }

    /// Records that the presenter has completed the work that ``nextAction(now:)`` returned.
    mutating func didComplete() { busySince = nil }

    /// Records that the layer's back buffer holds a frame.
    mutating func didPrepare(_ frame: VideoFrame) {
        layer.preparedFrameID = frame.id
        busySince = nil
    }

    /// Records that the presenter passed its current frame to the output, at `hostTime` in nanoseconds.
    mutating func didShow(at hostTime: Int64) {
        busySince = nil
        guard let shownFrame = presentedFrame.take() else { return }
        // The back buffer holds no prepared frame any more: it was shown or overwritten.
        layer.preparedFrameID = nil
        if shownFrame.reason == .redrawn { repeatedFrameCount += 1 }
        if shownFrame.isNew { report(shownFrame, shownTime: hostTime) }
    }

    /// Records that the output has drawn everything that was requested before ``requestWaitUntilDrawn()`` returned
    /// `number`.
    mutating func outputDidDraw(_ number: Int) {
        busySince = nil
        drawWaits.completedNumber = max(drawWaits.completedNumber, number)
    }

    /// Makes a frame the current frame, which is to be shown now.
    private mutating func makeCurrent(_ frame: VideoFrame, due: Int64, reason: DueFrame.Reason) {
        if scheduledFrame?.frame.id == frame.id { scheduledFrame = nil }
        if let replacedFrame = dueFrame, replacedFrame.isNew { report(replacedFrame, shownTime: nil) }
        currentFrame = frame
        if route.showsAtLayer { layer.placeholder = nil }
        dueFrame = DueFrame(frame: frame, due: due, reason: reason)
    }

    /// Adds a report about a frame. `shownTime` is the host time at which it was shown; nil if it was dropped.
    private mutating func report(_ frame: DueFrame, shownTime: Int64?) {
        guard let count = reports?.count else { return }
        if count >= Self.reportLimit { reports?.removeFirst() }
        reports?.append(
            Report(frame: frame.frame, due: frame.due, shownTime: shownTime, isScheduled: frame.reason == .scheduled))
    }
}
