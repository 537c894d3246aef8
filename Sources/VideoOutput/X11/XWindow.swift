import CXCB
import Glibc
import SharedFrames

/// The one owner of a top-level window, and what a window manager is told about it.
package final class XWindow: Sendable {
    package let connection: XConnection
    package let id: xcb_window_t

    /// Not mapped yet: say everything a window manager should know first, then ``map()``.
    package init(connection: XConnection, frame: PixelRect) {
        self.connection = connection
        id = connection.newID()
        let mask = XCB_CW_BACK_PIXEL.rawValue | XCB_CW_BIT_GRAVITY.rawValue | XCB_CW_EVENT_MASK.rawValue
        // The picture stays where it is while the window's size changes, until it is drawn anew.
        let values: [UInt32] = [
            0, XCB_GRAVITY_NORTH_WEST.rawValue,
            cxcb_input_events | cxcb_window_events,
        ]
        xcb_create_window(
            connection.pointer, connection.rootDepth, id, connection.root, Int16(clamping: frame.x), Int16(clamping: frame.y),
            UInt16(clamping: max(frame.width, 1)), UInt16(clamping: max(frame.height, 1)), 0,
            UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), connection.rootVisual, mask, values)
    }

    deinit {
        xcb_destroy_window(connection.pointer, id)
        connection.flush()
    }

    package func setTitle(_ title: String) {
        setText(connection.atoms.netWMName, type: connection.atoms.utf8String, Array(title.utf8))
        setText(XCB_ATOM_WM_NAME.rawValue, type: XCB_ATOM_STRING.rawValue, title.unicodeScalars.map { $0.value < 256 ? UInt8($0.value) : 63 })
    }

    /// ICCCM's class: instance and class name.
    package func setClass(instance: String, name: String) {
        setText(XCB_ATOM_WM_CLASS.rawValue, type: XCB_ATOM_STRING.rawValue, Array(instance.utf8) + [0] + Array(name.utf8) + [0])
    }

    /// What every window of ours says: who made it, and that closing it is a message and not a kill.
    package func setProtocols() {
        set(connection.atoms.wmProtocols, type: XCB_ATOM_ATOM.rawValue, [connection.atoms.wmDeleteWindow])
        set(connection.atoms.processID, type: XCB_ATOM_CARDINAL.rawValue, [UInt32(getpid())])
    }

    package func setText(_ property: xcb_atom_t, type: xcb_atom_t, _ bytes: [UInt8]) {
        xcb_change_property(connection.pointer, UInt8(XCB_PROP_MODE_REPLACE.rawValue), id, property, type, 8, UInt32(bytes.count), bytes)
    }

    package func set(_ property: xcb_atom_t, type: xcb_atom_t, _ words: [UInt32]) {
        xcb_change_property(connection.pointer, UInt8(XCB_PROP_MODE_REPLACE.rawValue), id, property, type, 32, UInt32(words.count), words)
    }

    /// ICCCM's size hints.
    ///
    /// - Parameters:
    ///   - position: a place that the user or we chose; nil leaves it to the window manager.
    ///   - aspect: keeps width to height at this ratio.
    package func setSizeHints(position: (x: Int, y: Int)?, size: PixelSize, minimum: PixelSize?, aspect: PixelSize?) {
        var hints = xcb_size_hints_t()
        if let position { xcb_icccm_size_hints_set_position(&hints, 1, Int32(position.x), Int32(position.y)) }
        xcb_icccm_size_hints_set_size(&hints, 1, Int32(size.width), Int32(size.height))
        if let minimum { xcb_icccm_size_hints_set_min_size(&hints, Int32(minimum.width), Int32(minimum.height)) }
        if let aspect {
            let w = Int32(aspect.width), h = Int32(aspect.height)
            xcb_icccm_size_hints_set_aspect(&hints, w, h, w, h)
        }
        xcb_icccm_set_wm_normal_hints(connection.pointer, id, &hints)
    }

    /// ICCCM's input hint: whether the window ever wants the keyboard.
    package func setInputHint(_ wantsFocus: Bool) {
        var hints = xcb_icccm_wm_hints_t()
        xcb_icccm_wm_hints_set_input(&hints, wantsFocus ? 1 : 0)
        xcb_icccm_wm_hints_set_normal(&hints)
        xcb_icccm_set_wm_hints(connection.pointer, id, &hints)
    }

    /// As large as it is now; asks the server.
    package var currentSize: PixelSize? {
        let c = connection.pointer
        guard let reply = xcb_get_geometry_reply(c, xcb_get_geometry(c, id), nil) else { return nil }
        defer { free(reply) }
        return PixelSize(width: Int(reply.pointee.width), height: Int(reply.pointee.height))
    }

    package func map() {
        xcb_map_window(connection.pointer, id)
        connection.flush()
    }

    package func unmap() {
        xcb_unmap_window(connection.pointer, id)
        connection.flush()
    }

    package func raise() {
        xcb_configure_window(connection.pointer, id, UInt16(XCB_CONFIG_WINDOW_STACK_MODE.rawValue), [XCB_STACK_MODE_ABOVE.rawValue])
        connection.flush()
    }

    package func setFrame(_ frame: PixelRect) {
        let mask = XCB_CONFIG_WINDOW_X.rawValue | XCB_CONFIG_WINDOW_Y.rawValue | XCB_CONFIG_WINDOW_WIDTH.rawValue | XCB_CONFIG_WINDOW_HEIGHT.rawValue
        let values = [
            UInt32(bitPattern: Int32(clamping: frame.x)), UInt32(bitPattern: Int32(clamping: frame.y)), UInt32(max(frame.width, 1)),
            UInt32(max(frame.height, 1)),
        ]
        xcb_configure_window(connection.pointer, id, UInt16(mask), values)
        connection.flush()
    }

    /// Asks the window manager by a message to the root window (EWMH).
    package func ask(_ type: xcb_atom_t, _ data: (UInt32, UInt32, UInt32, UInt32, UInt32)) {
        var event = xcb_client_message_event_t()
        event.response_type = UInt8(XCB_CLIENT_MESSAGE)
        event.format = 32
        event.window = id
        event.type = type
        event.data.data32 = data
        send(&event, to: connection.root, mask: XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY.rawValue | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT.rawValue)
    }

    /// Wakes whoever waits for this window's events.
    package func wake() {
        var event = xcb_client_message_event_t()
        event.response_type = UInt8(XCB_CLIENT_MESSAGE)
        event.format = 32
        event.window = id
        event.type = connection.atoms.wake
        send(&event, to: id, mask: 0)
    }

    private func send(_ event: inout xcb_client_message_event_t, to target: xcb_window_t, mask: UInt32) {
        withUnsafeBytes(of: &event) { bytes in
            _ = xcb_send_event(connection.pointer, 0, target, mask, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
        connection.flush()
    }
}
