import SharedFrames

/// The full-screen state of a window: a pure value. The program requests a state, the event thread sends the request,
/// and a window manager, if one is running, carries it out and reports the state.
///
/// A report does not name the request that it answers, and the window manager also repeats its reports. So that a
/// repeated report is not taken for an answer, only one request is under way at a time.
struct FullScreenState {
    /// The duration after which a request without an answer counts as ignored, in nanoseconds.
    static let answerTimeout: Int64 = 2_000_000_000

    /// Whether a window manager carries out requests.
    let hasWindowManager: Bool
    /// Whether the window is in full screen, or was requested to be.
    private(set) var isOn: Bool
    /// The state that was sent last, or that the window manager has set since.
    private var sentState: Bool
    /// The host time at which a request was sent, in nanoseconds; nil once the window manager has reported
    /// ``sentState``.
    private var unansweredSince: Int64?
    /// The state that the event thread has to send; nil if there is none.
    private var request: Bool?
    /// The monitor that the window fills in full screen.
    var monitor: FullScreenTarget
    /// The window's rectangle before it became full screen; nil if it never was.
    var frameBefore: PixelRect?
    /// The rectangle, with decorations, to which a managed window returns after full screen, because it was moved to
    /// another monitor for full screen; nil if it was not moved.
    var frameBeforeMove: PixelRect?

    /// Creates the state of a window that opens.
    ///
    /// - Parameters:
    ///   - isOn: Whether the window is opened in full screen.
    ///   - now: The current host time in nanoseconds.
    init(isOn: Bool, hasWindowManager: Bool, monitor: FullScreenTarget, frameBefore: PixelRect?, now: Int64) {
        (self.isOn, sentState, unansweredSince) = (isOn, isOn, isOn && hasWindowManager ? now : nil)
        (self.hasWindowManager, self.monitor, self.frameBefore) = (hasWindowManager, monitor, frameBefore)
    }

    /// Whether a request was not sent yet, or not carried out by the window manager.
    var isPending: Bool { request != nil || unansweredSince != nil }

    /// The host time at which a request is sent even though an earlier one was not answered, in nanoseconds; nil if
    /// none waits for an answer.
    var sendTime: Int64? { request == nil ? nil : unansweredSince.map { $0 + Self.answerTimeout } }

    /// Requests a state. A request for the state that was sent last replaces an earlier request and sends nothing,
    /// unless the window manager has ignored it.
    ///
    /// - Returns: Whether the state changes.
    mutating func request(_ isOn: Bool, now: Int64) -> Bool {
        guard self.isOn != isOn else { return false }
        self.isOn = isOn
        let isIgnored = unansweredSince != nil && !isWaiting(now: now)
        request = isOn == sentState && !isIgnored ? nil : isOn
        return true
    }

    /// Returns the state that is to be sent now; nil if there is none, or if an earlier request is under way.
    mutating func takeRequest(now: Int64) -> Bool? {
        guard !isWaiting(now: now), let newState = request.take() else { return nil }
        (sentState, unansweredSince) = (newState, hasWindowManager ? now : nil)
        return newState
    }

    /// Handles the state that the window manager reports. Until it has carried out a request, it reports the earlier
    /// state. Afterwards ``takeRequest(now:)`` may return the next request.
    ///
    /// - Returns: Whether the window manager has changed the state without a request.
    mutating func handleReport(_ isFullScreen: Bool) -> Bool {
        if isPending {
            if isFullScreen == sentState { unansweredSince = nil }
            return false
        }
        guard isFullScreen != isOn else { return false }
        (isOn, sentState) = (isFullScreen, isFullScreen)
        return true
    }

    /// Whether a request is under way that may still be answered.
    private func isWaiting(now: Int64) -> Bool { unansweredSince.map { now < $0 + Self.answerTimeout } ?? false }
}
