import CXCB

/// Whether other windows hide this one under a compositing manager, where the server's `VisibilityNotify` says nothing.
extension X11Output {
    /// Returns whether an event may change which windows cover ours: windows that move, appear, disappear or are
    /// restacked, another workspace, and compositing managers that start.
    static func changesStacking(_ event: UnsafeMutablePointer<xcb_generic_event_t>, _ own: xcb_window_t) -> Bool {
        switch Int32(event.pointee.response_type & 0x7f) {
        case XCB_CONFIGURE_NOTIFY, XCB_MAP_NOTIFY, XCB_UNMAP_NOTIFY, XCB_DESTROY_NOTIFY, XCB_REPARENT_NOTIFY,
            XCB_CIRCULATE_NOTIFY:
            true
        case XCB_PROPERTY_NOTIFY:
            event.withMemoryRebound(to: xcb_property_notify_event_t.self, capacity: 1) { $0.pointee.window != own }
        case XCB_CLIENT_MESSAGE:
            event.withMemoryRebound(to: xcb_client_message_event_t.self, capacity: 1) { $0.pointee.window != own }
        default: false
        }
    }

    /// Reads the stacking order and updates what is known of the window's visibility. Waits for the server; on the
    /// event thread.
    func updateCoverage() {
        let sight = state.withLock { $0.sight }
        let isCovered =
            sight.isShown && connection.isComposited
            && WindowStack(window).isCovered(currentDesktop: sight.currentDesktop)
        if isCovered != sight.isCovered { look { $0.isCovered = isCovered } }
    }
}
