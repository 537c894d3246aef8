import CWallWindow
import Glibc

/// The X11 window of the wall. Used on the main thread.
final class WallWindow {
    /// The mask of the X11 events that the window requests.
    static let eventMask: UInt32 = [
        XCB_EVENT_MASK_KEY_PRESS, XCB_EVENT_MASK_BUTTON_PRESS, XCB_EVENT_MASK_BUTTON_RELEASE,
        XCB_EVENT_MASK_POINTER_MOTION, XCB_EVENT_MASK_LEAVE_WINDOW, XCB_EVENT_MASK_EXPOSURE,
        XCB_EVENT_MASK_STRUCTURE_NOTIFY, XCB_EVENT_MASK_FOCUS_CHANGE,
    ].reduce(0) { $0 | $1.rawValue }

    let connection: OpaquePointer
    let window: xcb_window_t
    /// The size of the screen.
    let screenSize: PixelSize
    private let graphicsContext: xcb_gcontext_t
    private let depth: UInt8
    /// The type of the event with which the X server reports that it has read shared memory.
    let completionEventType: UInt8
    /// The table that converts key codes to keysyms.
    let keySymbols: OpaquePointer
    /// The atom `WM_DELETE_WINDOW`, which a request to close the window contains.
    let deleteWindowAtom: xcb_atom_t

    /// The descriptor that becomes readable when there are events.
    var descriptor: Int32 { xcb_get_file_descriptor(connection) }
    /// Whether the connection to the server is lost.
    var isLost: Bool { xcb_connection_has_error(connection) != 0 }

    /// Opens the window on the display that the environment names.
    ///
    /// - Parameters:
    ///   - title: The title of the window.
    ///   - requestedSize: The size. The window is not larger than the screen, unless `exceedsScreen` is true.
    ///   - exceedsScreen: Whether the window may be larger than the screen.
    /// - Throws: ``FilmReelError`` if there is no X server, or if it has no 24-bit colours or no shared memory.
    init(title: String, size requestedSize: PixelSize, exceedsScreen: Bool) throws {
        var screenNumber: Int32 = 0
        guard let connection = xcb_connect(nil, &screenNumber), xcb_connection_has_error(connection) == 0 else {
            throw FilmReelError("there is no X server: set DISPLAY")
        }
        self.connection = connection
        var roots = xcb_setup_roots_iterator(xcb_get_setup(connection))
        for _ in 0..<screenNumber where roots.rem > 1 { xcb_screen_next(&roots) }
        guard let screen = roots.data?.pointee, screen.root_depth == 24 else {
            xcb_disconnect(connection)
            throw FilmReelError("the screen has no 24-bit colours")
        }
        guard let sharedMemoryExtension = wall_window_sharing(connection), sharedMemoryExtension.pointee.present != 0,
            let keySymbols = xcb_key_symbols_alloc(connection)
        else {
            xcb_disconnect(connection)
            throw FilmReelError("the X server has no shared memory (MIT-SHM)")
        }
        self.keySymbols = keySymbols
        completionEventType = sharedMemoryExtension.pointee.first_event + UInt8(XCB_SHM_COMPLETION)
        depth = screen.root_depth
        screenSize = PixelSize(width: Int(screen.width_in_pixels), height: Int(screen.height_in_pixels))
        let maximumSize = exceedsScreen ? requestedSize : screenSize
        window = xcb_generate_id(connection)
        graphicsContext = xcb_generate_id(connection)
        deleteWindowAtom = Self.atom("WM_DELETE_WINDOW", connection)
        // The X server fills new areas of the window with black until the program draws them.
        let values = [screen.black_pixel, Self.eventMask]
        xcb_create_window(
            connection, depth, window, screen.root, 0, 0,
            UInt16(clamping: min(requestedSize.width, maximumSize.width)),
            UInt16(clamping: min(requestedSize.height, maximumSize.height)), 0,
            UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), screen.root_visual,
            XCB_CW_BACK_PIXEL.rawValue | XCB_CW_EVENT_MASK.rawValue, values)
        xcb_create_gc(connection, graphicsContext, window, 0, nil)
        setProperty("WM_PROTOCOLS", type: "ATOM", [deleteWindowAtom])
        setProperty("_NET_WM_NAME", type: "UTF8_STRING", Array(title.utf8))
        setProperty("WM_NAME", type: "STRING", Array(title.utf8))
        setProperty("WM_CLASS", type: "STRING", Array("film-reel\0FilmReel\0".utf8))
        xcb_map_window(connection, window)
        xcb_flush(connection)
    }

    deinit {
        xcb_key_symbols_free(keySymbols)
        xcb_disconnect(connection)
    }

    // MARK: Drawing

    /// Copies rows of a surface into the window, through shared memory.
    ///
    /// - Parameters:
    ///   - row: The first row of the surface.
    ///   - y: The row of the window to which the first row is copied.
    ///   - count: The number of rows.
    ///   - reportsReading: Whether the X server reports when it has read the surface.
    func put(_ surface: SharedSurface, row: Int, y: Int, count: Int, reportsReading: Bool) {
        xcb_shm_put_image(
            connection, window, graphicsContext, UInt16(clamping: surface.size.width),
            UInt16(clamping: surface.size.height), 0, UInt16(clamping: row), UInt16(clamping: surface.size.width),
            UInt16(clamping: count), 0, Int16(clamping: y), depth, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue),
            reportsReading ? 1 : 0,
            surface.segment, 0)
    }

    /// Copies a small picture of BGRX pixels into the window, over the socket.
    func put(_ pixels: UnsafeRawBufferPointer, size: PixelSize, y: Int) {
        xcb_put_image(
            connection, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), window, graphicsContext,
            UInt16(clamping: size.width), UInt16(clamping: size.height), 0, Int16(clamping: y), 0, depth,
            UInt32(clamping: pixels.count),
            pixels.bindMemory(to: UInt8.self).baseAddress)
    }

    /// Fills a rectangle of the window.
    ///
    /// - Parameter color: The colour as 0xRRGGBB.
    func fill(x: Int, y: Int, width: Int, height: Int, color: UInt32) {
        guard width > 0, height > 0 else { return }
        withUnsafePointer(to: color) {
            _ = xcb_change_gc(connection, graphicsContext, XCB_GC_FOREGROUND.rawValue, $0)
        }
        var rectangle = xcb_rectangle_t(
            x: Int16(clamping: x), y: Int16(clamping: y), width: UInt16(clamping: width),
            height: UInt16(clamping: height))
        xcb_poly_fill_rectangle(connection, window, graphicsContext, 1, &rectangle)
    }

    /// Sends all buffered requests to the X server.
    func flush() { xcb_flush(connection) }

    // MARK: Properties

    /// Sets a property of the window.
    private func setProperty<Element>(_ name: String, type: String, _ values: [Element]) {
        let bitsPerElement = MemoryLayout<Element>.size * 8
        values.withUnsafeBytes { bytes in
            _ = xcb_change_property(
                connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, Self.atom(name, connection),
                Self.atom(type, connection), UInt8(bitsPerElement), UInt32(values.count), bytes.baseAddress)
        }
    }

    /// Returns the atom with a name; zero if the connection is lost.
    private static func atom(_ name: String, _ connection: OpaquePointer) -> xcb_atom_t {
        let cookie = xcb_intern_atom(connection, 0, UInt16(name.utf8.count), name)
        guard let reply = xcb_intern_atom_reply(connection, cookie, nil) else { return 0 }
        defer { free(reply) }
        return reply.pointee.atom
    }
}
