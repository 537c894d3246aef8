import SharedFrames

/// The full-screen state of a window: a pure value. The program requests a state, the event thread sends the request,
/// and a window manager, if one is running, carries it out and reports the state.
struct FullScreenState {
    /// Whether a window manager carries out requests.
    let hasWindowManager: Bool
    /// Whether the window is in full screen, or was requested to be.
    private(set) var isOn: Bool
    /// The state that was sent last, or that the window manager has set since.
    private var sentState: Bool
    /// Whether the window manager has not reported ``sentState`` yet.
    private var isReportDue: Bool
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
    /// - Parameter isOn: Whether the window is opened in full screen.
    init(isOn: Bool, hasWindowManager: Bool, monitor: FullScreenTarget, frameBefore: PixelRect?) {
        (self.isOn, sentState, isReportDue) = (isOn, isOn, isOn && hasWindowManager)
        (self.hasWindowManager, self.monitor, self.frameBefore) = (hasWindowManager, monitor, frameBefore)
    }

    /// Whether a request was not sent yet, or not carried out by the window manager.
    var isPending: Bool { request != nil || isReportDue }

    /// Requests a state. A request for the state that was sent last replaces an earlier request and sends nothing.
    ///
    /// - Returns: Whether the state changes.
    mutating func request(_ isOn: Bool) -> Bool {
        guard self.isOn != isOn else { return false }
        self.isOn = isOn
        request = isOn == sentState ? nil : isOn
        return true
    }

    /// Returns the state that is to be sent now; nil if there is none.
    mutating func takeRequest() -> Bool? {
        guard let newState = request.take() else { return nil }
        (sentState, isReportDue) = (newState, hasWindowManager)
        return newState
    }

    /// Handles the state that the window manager reports. Until it has carried out a request, it reports the earlier
    /// state.
    ///
    /// - Returns: Whether the window manager has changed the state without a request.
    mutating func handleReport(_ isFullScreen: Bool) -> Bool {
        if isPending {
            if isFullScreen == sentState { isReportDue = false }
            return false
        }
        guard isFullScreen != isOn else { return false }
        (isOn, sentState) = (isFullScreen, isFullScreen)
        return true
    }
}
