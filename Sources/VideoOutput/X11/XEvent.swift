import CXCB

/// Functions that read fields common to several kinds of X events.
package enum XEvent {
    /// Returns the window that an event concerns; 0 for kinds of events that this method does not support.
    package static func window(of event: UnsafeMutablePointer<xcb_generic_event_t>) -> xcb_window_t {
        func read<T>(_ type: T.Type, _ path: KeyPath<T, xcb_window_t>) -> xcb_window_t {
            UnsafeMutableRawPointer(event).assumingMemoryBound(to: type).pointee[keyPath: path]
        }
        switch Int32(event.pointee.response_type & 0x7f) {
        case XCB_EXPOSE: return read(xcb_expose_event_t.self, \.window)
        case XCB_CONFIGURE_NOTIFY: return read(xcb_configure_notify_event_t.self, \.window)
        case XCB_CLIENT_MESSAGE: return read(xcb_client_message_event_t.self, \.window)
        case XCB_KEY_PRESS, XCB_BUTTON_PRESS, XCB_BUTTON_RELEASE, XCB_MOTION_NOTIFY, XCB_ENTER_NOTIFY, XCB_LEAVE_NOTIFY:
            // These event structures have the same first fields.
            return read(xcb_button_press_event_t.self, \.event)
        case XCB_MAP_NOTIFY, XCB_UNMAP_NOTIFY: return read(xcb_map_notify_event_t.self, \.window)
        case XCB_VISIBILITY_NOTIFY: return read(xcb_visibility_notify_event_t.self, \.window)
        default: return 0
        }
    }
}
