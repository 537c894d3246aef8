import CWallWindow
import Glibc

/// The events of the window.
extension WallWindow {
    /// The bit of an event type that is set if another program sent the event.
    private static let sentEventFlag: UInt8 = 0x80
    /// The event type of an error: the response to a request that the X server refused.
    private static let errorType: UInt8 = 0
    /// The X11 numbers of the left button and of the mouse wheel.
    private static let leftButton: UInt8 = 1, wheelUp: UInt8 = 4, wheelDown: UInt8 = 5

    /// Returns the events that have arrived. Only the last of successive pointer movements is returned.
    func takeEvents() -> [WallEvent] {
        var events: [WallEvent] = []
        while let event = xcb_poll_for_event(connection) {
            defer { free(event) }
            guard let wallEvent = translate(event) else { continue }
            if case .pointerMoved = wallEvent, case .pointerMoved? = events.last { events.removeLast() }
            events.append(wallEvent)
        }
        return events
    }

    /// Returns the event of the wall for an XCB event; nil for an event that the wall does not handle.
    private func translate(_ event: UnsafeMutablePointer<xcb_generic_event_t>) -> WallEvent? {
        let raw = UnsafeRawPointer(event)
        if event.pointee.response_type == Self.errorType {
            let error = raw.load(as: xcb_generic_error_t.self)
            return .failed(
                "the X server refused the request \(error.major_code).\(error.minor_code): error \(error.error_code)")
        }
        let type = event.pointee.response_type & ~Self.sentEventFlag
        switch Int32(type) {
        case XCB_KEY_PRESS:
            let press = raw.load(as: xcb_key_press_event_t.self)
            return WallKey(rawValue: xcb_key_symbols_get_keysym(keySymbols, press.detail, 0)).map { .key($0) }
        case XCB_BUTTON_PRESS: return button(raw.load(as: xcb_button_press_event_t.self), isPressed: true)
        case XCB_BUTTON_RELEASE: return button(raw.load(as: xcb_button_press_event_t.self), isPressed: false)
        case XCB_MOTION_NOTIFY:
            let motion = raw.load(as: xcb_motion_notify_event_t.self)
            return .pointerMoved(x: Int(motion.event_x), y: Int(motion.event_y))
        case XCB_LEAVE_NOTIFY: return .pointerLeft
        case XCB_EXPOSE: return .exposed
        case XCB_CONFIGURE_NOTIFY:
            let change = raw.load(as: xcb_configure_notify_event_t.self)
            return .resized(PixelSize(width: Int(change.width), height: Int(change.height)))
        case XCB_MAP_NOTIFY: return .shown(true)
        case XCB_UNMAP_NOTIFY: return .shown(false)
        case XCB_FOCUS_IN: return .focused(true)
        case XCB_FOCUS_OUT: return .focused(false)
        case XCB_CLIENT_MESSAGE:
            let message = raw.load(as: xcb_client_message_event_t.self)
            return message.data.data32.0 == deleteWindowAtom ? .closeRequested : nil
        case XCB_MAPPING_NOTIFY:
            raw.withMemoryRebound(to: xcb_mapping_notify_event_t.self, capacity: 1) {
                _ = xcb_refresh_keyboard_mapping(keySymbols, UnsafeMutablePointer(mutating: $0))
            }
            return nil
        default:
            guard type == completionEventType else { return nil }
            return .surfaceRead(segment: raw.load(as: xcb_shm_completion_event_t.self).shmseg)
        }
    }

    /// Returns the event for the left button or a step of the mouse wheel; nil for other buttons.
    private func button(_ event: xcb_button_press_event_t, isPressed: Bool) -> WallEvent? {
        switch event.detail {
        case Self.leftButton: .button(isPressed: isPressed, x: Int(event.event_x), y: Int(event.event_y))
        case Self.wheelUp: isPressed ? .wheel(-1) : nil
        case Self.wheelDown: isPressed ? .wheel(1) : nil
        default: nil
        }
    }
}
