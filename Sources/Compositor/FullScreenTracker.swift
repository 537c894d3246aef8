import CXCB
import VideoOutput

/// The active window of an X display, if it is in full screen.
///
/// Window managers place a focused full-screen window above all windows, also above those with the state
/// `_NET_WM_STATE_ABOVE`, but below its own transient windows (ICCCM `WM_TRANSIENT_FOR`). The floating windows
/// therefore become transient windows of it. Used by the thread of the display.
final class FullScreenTracker {
    private let connection: XConnection
    /// The active full-screen window; `nil` if the active window is not in full screen.
    private(set) var fullScreenWindow: xcb_window_t?
    /// The active window, whose property changes are reported; 0 for none.
    private var activeWindow: xcb_window_t = 0

    /// Requests the events about the active window, and reads the current state. Waits for the server.
    init(_ connection: XConnection) {
        self.connection = connection
        selectEvents(XCB_EVENT_MASK_PROPERTY_CHANGE, of: connection.root)
        update { _ in false }
    }

    /// Updates the state if an event reports a change of the active window. Waits for the server.
    ///
    /// - Parameter isOwnWindow: Returns whether a window belongs to this connection.
    /// - Returns: Whether ``fullScreenWindow`` changed.
    func handle(
        _ event: UnsafeMutablePointer<xcb_generic_event_t>, _ isOwnWindow: (xcb_window_t) -> Bool
    ) -> Bool {
        guard Int32(event.pointee.response_type & 0x7f) == XCB_PROPERTY_NOTIFY else { return false }
        let (window, atom) = event.withMemoryRebound(to: xcb_property_notify_event_t.self, capacity: 1) {
            ($0.pointee.window, $0.pointee.atom)
        }
        let atoms = connection.atoms
        guard
            window == connection.root && atom == atoms.activeWindow
                || window == activeWindow && atom == atoms.netWMState
        else { return false }
        let oldWindow = fullScreenWindow
        update(isOwnWindow)
        return fullScreenWindow != oldWindow
    }

    /// Reads the active window and its state.
    private func update(_ isOwnWindow: (xcb_window_t) -> Bool) {
        let atoms = connection.atoms
        var newWindow = connection.propertyWords(atoms.activeWindow, of: connection.root).first ?? 0
        // A click on a floating window may make it active. The full-screen window then stays below it.
        if isOwnWindow(newWindow) { newWindow = activeWindow }
        if newWindow != activeWindow {
            // Request no more events about the former active window, so that it does not wake the compositor.
            selectEvents(XCB_EVENT_MASK_NO_EVENT, of: activeWindow)
            activeWindow = newWindow
            selectEvents(XCB_EVENT_MASK_PROPERTY_CHANGE, of: newWindow)
        }
        let windowStates = newWindow == 0 ? [] : connection.propertyWords(atoms.netWMState, of: newWindow)
        let isShown = windowStates.contains(atoms.stateFullScreen) && !windowStates.contains(atoms.stateHidden)
        fullScreenWindow = isShown ? newWindow : nil
    }

    /// Requests events about a window of another program; has no effect if the window is 0.
    private func selectEvents(_ events: xcb_event_mask_t, of window: xcb_window_t) {
        guard window != 0 else { return }
        xcb_change_window_attributes(connection.pointer, window, XCB_CW_EVENT_MASK.rawValue, [events.rawValue])
    }
}
