import CWallWindow
import Glibc

/// The X11 window of the wall. Main thread.
final class WallWindow {
    /// The events of the window that the program must handle.
    static let eventMask: UInt32 = [
        XCB_EVENT_MASK_KEY_PRESS, XCB_EVENT_MASK_BUTTON_PRESS, XCB_EVENT_MASK_BUTTON_RELEASE,
        XCB_EVENT_MASK_POINTER_MOTION, XCB_EVENT_MASK_LEAVE_WINDOW, XCB_EVENT_MASK_EXPOSURE,
        XCB_EVENT_MASK_STRUCTURE_NOTIFY, XCB_EVENT_MASK_FOCUS_CHANGE,
    ].reduce(0) { $0 | $1.rawValue }

    let connection: OpaquePointer
    let window: xcb_window_t
    /// The size of the screen.
    let screenSize: PixelArea
    private let context: xcb_gcontext_t
    private let depth: UInt8
    /// The event by which the server reports that it has read shared memory.
    let completionEvent: UInt8
    /// The table of the keyboard.
    let keySymbols: OpaquePointer
    /// The message by which the window manager asks to close the window.
    let closeMessage: xcb_atom_t

    /// The descriptor that becomes readable when there are events.
    var descriptor: Int32 { xcb_get_file_descriptor(connection) }
    /// Whether the connection to the server is lost.
    var isLost: Bool { xcb_connection_has_error(connection) != 0 }

    /// Opens the window on the display that the environment names.
    ///
    /// - Parameters:
    ///   - title: The title of the window.
    ///   - requested: The size. The window is not larger than the screen, unless `exceedsScreen` is true.
    ///   - exceedsScreen: Whether the window may be larger than the screen.
    /// - Throws: ``FilmReelError`` if there is no X server, or if it has no 24-bit colours or no shared memory.
    init(title: String, size requested: PixelArea, exceedsScreen: Bool) throws {
        var number: Int32 = 0
        guard let connection = xcb_connect(nil, &number), xcb_connection_has_error(connection) == 0 else {
            throw FilmReelError("there is no X server: set DISPLAY")
        }
        self.connection = connection
        var roots = xcb_setup_roots_iterator(xcb_get_setup(connection))
        for _ in 0..<number where roots.rem > 1 { xcb_screen_next(&roots) }
        guard let screen = roots.data?.pointee, screen.root_depth == 24 else {
            xcb_disconnect(connection)
            throw FilmReelError("the screen has no 24-bit colours")
        }
        guard let sharing = wall_window_sharing(connection), sharing.pointee.present != 0,
            let keySymbols = xcb_key_symbols_alloc(connection)
        else {
            xcb_disconnect(connection)
            throw FilmReelError("the X server has no shared memory (MIT-SHM)")
        }
        self.keySymbols = keySymbols
        completionEvent = sharing.pointee.first_event + UInt8(XCB_SHM_COMPLETION)
        depth = screen.root_depth
        screenSize = PixelArea(width: Int(screen.width_in_pixels), height: Int(screen.height_in_pixels))
        let limit = exceedsScreen ? requested : screenSize
        window = xcb_generate_id(connection)
        context = xcb_generate_id(connection)
        closeMessage = Self.atom("WM_DELETE_WINDOW", connection)
        // No background: the server would fill new areas of the window before they are drawn.
        let values = [screen.black_pixel, Self.eventMask]
        xcb_create_window(
            connection, depth, window, screen.root, 0, 0, UInt16(clamping: min(requested.width, limit.width)),
            UInt16(clamping: min(requested.height, limit.height)), 0, UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue),
            screen.root_visual, XCB_CW_BACK_PIXEL.rawValue | XCB_CW_EVENT_MASK.rawValue, values)
        xcb_create_gc(connection, context, window, 0, nil)
        set("WM_PROTOCOLS", type: "ATOM", [closeMessage])
        set("_NET_WM_NAME", type: "UTF8_STRING", Array(title.utf8))
        set("WM_NAME", type: "STRING", Array(title.utf8))
        set("WM_CLASS", type: "STRING", Array("film-reel\0FilmReel\0".utf8))
        xcb_map_window(connection, window)
        xcb_flush(connection)
    }

    deinit {
        xcb_key_symbols_free(keySymbols)
        xcb_disconnect(connection)
    }

    // MARK: Drawing

    /// Copies rows of a surface into the window.
    ///
    /// - Parameters:
    ///   - row: The first row of the surface.
    ///   - y: The row of the window.
    ///   - count: The number of rows.
    ///   - reportsReading: Whether the server reports when it has read the surface.
    func put(_ surface: SharedSurface, row: Int, y: Int, count: Int, reportsReading: Bool) {
        xcb_shm_put_image(
            connection, window, context, UInt16(clamping: surface.size.width), UInt16(clamping: surface.size.height),
            0, UInt16(clamping: row), UInt16(clamping: surface.size.width), UInt16(clamping: count), 0,
            Int16(clamping: y), depth, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), reportsReading ? 1 : 0,
            surface.segment, 0)
    }

    /// Copies a small picture of BGRX pixels into the window, over the socket.
    func put(_ pixels: UnsafeRawBufferPointer, size: PixelArea, y: Int) {
        xcb_put_image(
            connection, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), window, context, UInt16(clamping: size.width),
            UInt16(clamping: size.height), 0, Int16(clamping: y), 0, depth, UInt32(clamping: pixels.count),
            pixels.bindMemory(to: UInt8.self).baseAddress)
    }

    /// Fills a rectangle.
    ///
    /// - Parameter color: The colour as 0xRRGGBB.
    func fill(x: Int, y: Int, width: Int, height: Int, color: UInt32) {
        guard width > 0, height > 0 else { return }
        withUnsafePointer(to: color) {
            _ = xcb_change_gc(connection, context, XCB_GC_FOREGROUND.rawValue, $0)
        }
        var rectangle = xcb_rectangle_t(
            x: Int16(clamping: x), y: Int16(clamping: y), width: UInt16(clamping: width),
            height: UInt16(clamping: height))
        xcb_poly_fill_rectangle(connection, window, context, 1, &rectangle)
    }

    /// Sends all requests to the server.
    func flush() { xcb_flush(connection) }

    // MARK: Properties

    /// Sets a property of the window.
    private func set<Element>(_ name: String, type: String, _ values: [Element]) {
        let bits = MemoryLayout<Element>.size * 8
        values.withUnsafeBytes { bytes in
            _ = xcb_change_property(
                connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, Self.atom(name, connection),
                Self.atom(type, connection), UInt8(bits), UInt32(values.count), bytes.baseAddress)
        }
    }

    /// Returns the number of a name at the server; zero if the connection is lost.
    private static func atom(_ name: String, _ connection: OpaquePointer) -> xcb_atom_t {
        let cookie = xcb_intern_atom(connection, 0, UInt16(name.utf8.count), name)
        guard let reply = xcb_intern_atom_reply(connection, cookie, nil) else { return 0 }
        defer { free(reply) }
        return reply.pointee.atom
    }
}
