import CXCB
import Glibc
import SharedFrames

/// A top-level window with its properties for the window manager, or a window inside another program's window.
/// Deinitializing this object destroys the window.
package final class XWindow: Sendable {
    package let connection: XConnection
    package let id: xcb_window_t

    /// Creates a window that is not mapped yet. Set all properties before ``map()``.
    ///
    /// - Parameters:
    ///   - connection: The connection to the X server.
    ///   - parent: The window of another program that contains the new window; nil for a top-level window.
    ///   - frame: The rectangle of the window in its parent or on the screen.
    ///   - isUnmanaged: Whether the window manager neither places nor decorates the window (override-redirect).
    package init(
        connection: XConnection, parent: xcb_window_t? = nil, frame: PixelRect, isUnmanaged: Bool = false
    ) {
        self.connection = connection
        id = connection.newID()
        // A parent of another colour depth requires an explicit border colour and colour map.
        let mask =
            XCB_CW_BACK_PIXEL.rawValue | XCB_CW_BORDER_PIXEL.rawValue | XCB_CW_BIT_GRAVITY.rawValue
            | XCB_CW_OVERRIDE_REDIRECT.rawValue | XCB_CW_EVENT_MASK.rawValue | XCB_CW_COLORMAP.rawValue
        // North-west gravity keeps the picture in place while the window's size changes, until the next drawing.
        let values = [
            0, 0, XCB_GRAVITY_NORTH_WEST.rawValue, isUnmanaged ? 1 : 0, cxcb_input_events | cxcb_window_events,
            connection.rootColourMap,
        ]
        xcb_create_window(
            connection.pointer, connection.rootDepth, id, parent ?? connection.root, Int16(clamping: frame.x),
            Int16(clamping: frame.y), UInt16(clamping: max(frame.width, 1)), UInt16(clamping: max(frame.height, 1)), 0,
            UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), connection.rootVisual, mask, values)
    }

    deinit {
        xcb_destroy_window(connection.pointer, id)
        connection.flush()
    }

    package func setTitle(_ title: String) {
        setText(connection.atoms.netWMName, type: connection.atoms.utf8String, Array(title.utf8))
        setText(
            XCB_ATOM_WM_NAME.rawValue, type: XCB_ATOM_STRING.rawValue,
            title.unicodeScalars.map { $0.value < 256 ? UInt8($0.value) : 63 })
    }

    /// Sets the instance and class names (ICCCM `WM_CLASS`).
    package func setClass(instance: String, name: String) {
        setText(
            XCB_ATOM_WM_CLASS.rawValue, type: XCB_ATOM_STRING.rawValue,
            Array(instance.utf8) + [0] + Array(name.utf8) + [0])
    }

    /// Sets the process ID, and requests a message from the window manager when the user closes the window.
    ///
    /// - Parameter takesFocus: Whether the window manager sends `WM_TAKE_FOCUS` instead of setting the focus (ICCCM:
    ///   globally active, with an input hint of false).
    package func setProtocols(takesFocus: Bool = false) {
        let atoms = connection.atoms
        set(
            atoms.wmProtocols, type: XCB_ATOM_ATOM.rawValue,
            [atoms.wmDeleteWindow] + (takesFocus ? [atoms.wmTakeFocus] : []))
        set(connection.atoms.processID, type: XCB_ATOM_CARDINAL.rawValue, [UInt32(getpid())])
    }

    /// Sets a property of the window to a text of the given type.
    package func setText(_ property: xcb_atom_t, type: xcb_atom_t, _ bytes: [UInt8]) {
        xcb_change_property(
            connection.pointer, UInt8(XCB_PROP_MODE_REPLACE.rawValue), id, property, type, 8, UInt32(bytes.count), bytes
        )
    }

    /// Sets a property of the window to an array of 32-bit values.
    package func set(_ property: xcb_atom_t, type: xcb_atom_t, _ values: [UInt32]) {
        xcb_change_property(
            connection.pointer, UInt8(XCB_PROP_MODE_REPLACE.rawValue), id, property, type, 32, UInt32(values.count),
            values)
    }

    /// Sets the size hints (ICCCM `WM_NORMAL_HINTS`).
    ///
    /// - Parameters:
    ///   - position: The position that the user or SwiftPlay chose; nil leaves the choice to the window manager.
    ///   - aspect: The aspect ratio that resizing keeps.
    package func setSizeHints(position: (x: Int, y: Int)?, size: PixelSize, minimum: PixelSize?, aspect: PixelSize?) {
        var hints = xcb_size_hints_t()
        if let position { xcb_icccm_size_hints_set_position(&hints, 1, Int32(position.x), Int32(position.y)) }
        xcb_icccm_size_hints_set_size(&hints, 1, Int32(size.width), Int32(size.height))
        if let minimum { xcb_icccm_size_hints_set_min_size(&hints, Int32(minimum.width), Int32(minimum.height)) }
        if let aspect {
            let aspectWidth = Int32(aspect.width), aspectHeight = Int32(aspect.height)
            xcb_icccm_size_hints_set_aspect(&hints, aspectWidth, aspectHeight, aspectWidth, aspectHeight)
        }
        xcb_icccm_set_wm_normal_hints(connection.pointer, id, &hints)
    }

    /// Sets whether the window manager gives the keyboard focus to the window (ICCCM input hint), and whether the
    /// window opens minimised.
    package func setInputHint(_ wantsFocus: Bool, opensMinimised: Bool = false) {
        var hints = xcb_icccm_wm_hints_t()
        xcb_icccm_wm_hints_set_input(&hints, wantsFocus ? 1 : 0)
        opensMinimised ? xcb_icccm_wm_hints_set_iconic(&hints) : xcb_icccm_wm_hints_set_normal(&hints)
        xcb_icccm_set_wm_hints(connection.pointer, id, &hints)
    }

    /// Returns at most `limit` 32-bit words of a property of this window or of the root window. Waits for the server.
    /// Returns an empty array for a missing property.
    package func propertyWords(_ property: xcb_atom_t, ofRoot: Bool = false, limit: UInt32 = 64) -> [UInt32] {
        connection.propertyWords(property, of: ofRoot ? connection.root : id, limit: limit)
    }

    /// The window's upper left corner on the screen; nil if the server does not report it. Waits for the server.
    package var origin: (x: Int, y: Int)? {
        let xcb = connection.pointer
        guard
            let reply = xcb_translate_coordinates_reply(
                xcb, xcb_translate_coordinates(xcb, id, connection.root, 0, 0), nil)
        else { return nil }
        defer { free(reply) }
        return (Int(reply.pointee.dst_x), Int(reply.pointee.dst_y))
    }

    /// The window's current size; nil if the server does not report it. Waits for the server.
    package var currentSize: PixelSize? {
        let xcb = connection.pointer
        guard let reply = xcb_get_geometry_reply(xcb, xcb_get_geometry(xcb, id), nil) else { return nil }
        defer { free(reply) }
        return PixelSize(width: Int(reply.pointee.width), height: Int(reply.pointee.height))
    }

    package func map() {
        xcb_map_window(connection.pointer, id)
        connection.flush()
    }

    /// Maps the window directly below `other`. Both windows must be unmanaged.
    package func map(below other: xcb_window_t) {
        let mask = XCB_CONFIG_WINDOW_SIBLING.rawValue | XCB_CONFIG_WINDOW_STACK_MODE.rawValue
        xcb_configure_window(connection.pointer, id, UInt16(mask), [other, XCB_STACK_MODE_BELOW.rawValue])
        map()
    }

    /// Maps and raises the window without a flush, so that it appears together with the next picture, already drawn.
    package func mapOnTopWithNextPicture() {
        xcb_map_window(connection.pointer, id)
        xcb_configure_window(
            connection.pointer, id, UInt16(XCB_CONFIG_WINDOW_STACK_MODE.rawValue), [XCB_STACK_MODE_ABOVE.rawValue])
    }

    /// Unmaps the window without a flush, so that it disappears together with the next picture drawn in another window.
    package func unmapWithNextPicture() { xcb_unmap_window(connection.pointer, id) }

    package func unmap() {
        xcb_unmap_window(connection.pointer, id)
        connection.flush()
    }

    /// The pointer's position in the window and the held modifiers (X11's mask); nil if the pointer is on another
    /// screen. Waits for the server.
    package var pointerState: (x: Int, y: Int, modifiers: UInt32)? {
        guard let reply = xcb_query_pointer_reply(connection.pointer, xcb_query_pointer(connection.pointer, id), nil)
        else { return nil }
        defer { free(reply) }
        guard reply.pointee.same_screen != 0 else { return nil }
        return (Int(reply.pointee.win_x), Int(reply.pointee.win_y), UInt32(reply.pointee.mask))
    }

    /// Sets the keyboard focus to the window. `time` is the X timestamp of the user's action.
    package func takeFocus(at time: UInt32) {
        xcb_set_input_focus(connection.pointer, UInt8(XCB_INPUT_FOCUS_PARENT.rawValue), id, time)
        connection.flush()
    }

    /// Withdraws the window: unmaps it and sends the window manager an `UnmapNotify` event. ICCCM requires that event,
    /// because a minimised window may already be unmapped.
    package func withdraw() {
        xcb_unmap_window(connection.pointer, id)
        var event = xcb_unmap_notify_event_t()
        event.response_type = UInt8(XCB_UNMAP_NOTIFY)
        event.event = connection.root
        event.window = id
        // `xcb_send_event` always reads 32 bytes; this event's structure is shorter.
        var bytes = [CChar](repeating: 0, count: 32)
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: event, as: xcb_unmap_notify_event_t.self) }
        let mask = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY.rawValue | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT.rawValue
        xcb_send_event(connection.pointer, 0, connection.root, mask, bytes)
        connection.flush()
    }

    /// Hides or shows the pointer over the window.
    package func setPointerHidden(_ isHidden: Bool) {
        let xcb = connection.pointer
        guard isHidden else {
            xcb_change_window_attributes(xcb, id, XCB_CW_CURSOR.rawValue, [XCB_CURSOR_NONE.rawValue])
            return connection.flush()
        }
        // The hidden cursor is one transparent pixel. The server keeps the cursor while the window uses it.
        let cursorPixmap = connection.newID(), cursor = connection.newID(), context = connection.newID()
        xcb_create_pixmap(xcb, 1, cursorPixmap, id, 1, 1)
        xcb_create_gc(xcb, context, cursorPixmap, XCB_GC_FOREGROUND.rawValue, [0])
        xcb_poly_fill_rectangle(xcb, cursorPixmap, context, 1, [xcb_rectangle_t(x: 0, y: 0, width: 1, height: 1)])
        xcb_create_cursor(xcb, cursor, cursorPixmap, cursorPixmap, 0, 0, 0, 0, 0, 0, 0, 0)
        xcb_change_window_attributes(xcb, id, XCB_CW_CURSOR.rawValue, [cursor])
        xcb_free_cursor(xcb, cursor)
        xcb_free_gc(xcb, context)
        xcb_free_pixmap(xcb, cursorPixmap)
        connection.flush()
    }

    /// Sets the colour with which the X server paints uncovered and new parts of the window; initially black.
    package func setBackground(_ colour: UInt32) {
        xcb_change_window_attributes(connection.pointer, id, XCB_CW_BACK_PIXEL.rawValue, [colour])
    }

    package func raise() {
        xcb_configure_window(
            connection.pointer, id, UInt16(XCB_CONFIG_WINDOW_STACK_MODE.rawValue), [XCB_STACK_MODE_ABOVE.rawValue])
        connection.flush()
    }

    /// Moves and resizes the window.
    ///
    /// - Parameter isFlushed: False if the change must become visible together with the next drawing.
    package func setFrame(_ frame: PixelRect, isFlushed: Bool = true) {
        let mask =
            XCB_CONFIG_WINDOW_X.rawValue | XCB_CONFIG_WINDOW_Y.rawValue | XCB_CONFIG_WINDOW_WIDTH.rawValue
            | XCB_CONFIG_WINDOW_HEIGHT.rawValue
        let values = [
            UInt32(bitPattern: Int32(clamping: frame.x)), UInt32(bitPattern: Int32(clamping: frame.y)),
            UInt32(max(frame.width, 1)), UInt32(max(frame.height, 1)),
        ]
        xcb_configure_window(connection.pointer, id, UInt16(mask), values)
        if isFlushed { connection.flush() }
    }

    /// Sends the window manager a client message through the root window (EWMH).
    package func sendRootMessage(_ type: xcb_atom_t, _ data: (UInt32, UInt32, UInt32, UInt32, UInt32)) {
        Self.sendRootMessage(type, about: id, data, connection)
    }

    /// Sends the window manager a client message about a window of any program.
    static func sendRootMessage(
        _ type: xcb_atom_t, about window: xcb_window_t, _ data: (UInt32, UInt32, UInt32, UInt32, UInt32),
        _ connection: XConnection
    ) {
        var event = xcb_client_message_event_t()
        event.response_type = UInt8(XCB_CLIENT_MESSAGE)
        event.format = 32
        event.window = window
        event.type = type
        event.data.data32 = data
        send(
            &event, to: connection.root,
            mask: XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY.rawValue | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT.rawValue,
            connection)
    }

    /// Sends a message to the window, which wakes the thread that waits for events.
    package func wake() {
        var event = xcb_client_message_event_t()
        event.response_type = UInt8(XCB_CLIENT_MESSAGE)
        event.format = 32
        event.window = id
        event.type = connection.atoms.wake
        Self.send(&event, to: id, mask: 0, connection)
    }

    private static func send(
        _ event: inout xcb_client_message_event_t, to target: xcb_window_t, mask: UInt32, _ connection: XConnection
    ) {
        withUnsafeBytes(of: &event) { bytes in
            _ = xcb_send_event(
                connection.pointer, 0, target, mask, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
        connection.flush()
    }
}
