import CXCB

/// Detects that other windows cover this window under a compositing manager, where `VisibilityNotify` does not report
/// it.
extension X11Output {
    /// Returns whether an event may change which windows cover the window with the ID `ownWindow`: a window moved,
    /// appeared, disappeared or was restacked, the workspace changed, or a compositing manager started.
    static func mayChangeStacking(_ event: UnsafeMutablePointer<xcb_generic_event_t>, _ ownWindow: xcb_window_t) -> Bool
    {
        switch Int32(event.pointee.response_type & 0x7f) {
        case XCB_CONFIGURE_NOTIFY, XCB_MAP_NOTIFY, XCB_UNMAP_NOTIFY, XCB_DESTROY_NOTIFY, XCB_REPARENT_NOTIFY,
            XCB_CIRCULATE_NOTIFY:
            true
        case XCB_PROPERTY_NOTIFY:
            event.withMemoryRebound(to: xcb_property_notify_event_t.self, capacity: 1) {
                $0.pointee.window != ownWindow
            }
        case XCB_CLIENT_MESSAGE:
            event.withMemoryRebound(to: xcb_client_message_event_t.self, capacity: 1) { $0.pointee.window != ownWindow }
        default: false
        }
    }

    /// Reads the stacking order of all windows and updates this window's visibility. Waits for the server; call it on
    /// the event thread.
    func updateCoverage() {
        let visibility = state.withLock { $0.visibility }
        let isCovered =
            visibility.isShown && connection.isComposited
            && WindowStack(window).isCovered(currentDesktop: visibility.currentDesktop)
        if isCovered != visibility.isCovered { updateVisibility { $0.isCovered = isCovered } }
    }
}
