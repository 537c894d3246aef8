import CXCB
import Glibc
import SystemCalls

/// A connection to an X server.
///
/// Any thread may use the connection with libxcb. If the connection fails, libxcb's functions have no effect and
/// ``isBroken`` is true; the process continues.
package final class XConnection: @unchecked Sendable {
    // @unchecked Sendable: `pointer` is set once, and every libxcb function locks it. The other properties never
    // change.
    /// The libxcb connection.
    package let pointer: OpaquePointer
    /// The root window of the screen.
    package let root: xcb_window_t
    /// The visual of the root window, which determines the format of pixels on the screen.
    package let rootVisual: xcb_visualid_t
    /// The colour depth of the screen in bits, 24 or 32.
    package let rootDepth: UInt8
    /// The colour map of the root window.
    let rootColourMap: xcb_colormap_t
    /// The factor by which text and controls are larger than at 96 dots per inch, 1 to 8: the resource `Xft.dpi`
    /// divided by 96. 1 without that resource.
    package let displayScale: Double
    /// The number of the screen in the X display's name: 1 in `:0.1`.
    let screenNumber: Int32
    /// The size of the screen in pixels.
    package let screenSize: (width: Int, height: Int)
    /// The X11 atoms that SwiftPlay uses, with the numbers that the server has assigned.
    package let atoms: XAtoms
    /// Whether the server accepts shared memory by file descriptor (MIT-SHM 1.2); false for a server over a network.
    package let acceptsSharedMemory: Bool
    /// Whether the server can create pixmaps in shared memory.
    package let acceptsSharedPixmaps: Bool
    /// The maximum size of a request to the server, in bytes.
    package let maximumRequestByteCount: Int

    /// Connects to an X display.
    ///
    /// - Parameters:
    ///   - display: A name such as `:0`; nil for `$DISPLAY`.
    ///   - authority: The authority file, a regular file; "" for the default file; nil lets libxcb choose.
    /// - Throws: `XError` if the connection fails or the screen's colour depth is not supported.
    package convenience init(display: String? = nil, authority: String? = nil) throws(XError) {
        var screenNumber: Int32 = 0
        let connection = Self.connect(display, authority, &screenNumber)
        let name = display ?? getenv("DISPLAY").map { String(cString: $0) } ?? ""
        try self.init(connection, name: name, screen: screenNumber)
    }

    /// Connects over a socket. Waits for the server's replies until the socket is shut down.
    ///
    /// - Parameter authority: The authority file, a regular file; "" for the default file.
    /// - Throws: `XError` if the connection fails or the screen's colour depth is not supported.
    package convenience init(socket: XDisplaySocket, authority: String) throws(XError) {
        let descriptor: Int32
        do throws(SystemCallError) {
            descriptor = try socket.duplicate()
        } catch { throw XError("cannot connect to the X display \(socket.display): \(error)") }
        let connection = Self.withAuthority(socket.display, authority) { xcb_connect_to_fd(descriptor, $0) }
        try self.init(connection, name: socket.display, screen: socket.screen)
        guard !isBroken else { throw XError("the X display \(socket.display) does not answer") }
    }

    /// Takes ownership of a libxcb connection and reads the properties of its screen.
    private init(_ connection: OpaquePointer?, name: String, screen number: Int32) throws(XError) {
        guard let connection, xcb_connection_has_error(connection) == 0 else {
            if let connection { xcb_disconnect(connection) }
            throw XError(
                name.isEmpty ? "no X display is set: set DISPLAY" : "cannot connect to the X display \(name)")
        }
        // Send the requests about extensions and the request length now, so that their replies arrive together with the
        // replies for the atoms.
        xcb_prefetch_extension_data(connection, cxcb_shm_extension())
        xcb_prefetch_extension_data(connection, cxcb_present_extension())
        xcb_prefetch_maximum_request_length(connection)
        let pendingAtoms = XAtoms.request(connection)
        var screens = xcb_setup_roots_iterator(xcb_get_setup(connection))
        let firstRoot = screens.data?.pointee.root
        for _ in 0..<max(number, 0) where screens.rem > 1 { xcb_screen_next(&screens) }
        guard let screen = screens.data?.pointee, let firstRoot else {
            xcb_disconnect(connection)
            throw XError("the X display has no screen")
        }
        let pendingResources = XResources.request(connection, root: firstRoot)
        pointer = connection
        root = screen.root
        screenNumber = number
        rootVisual = screen.root_visual
        rootDepth = screen.root_depth
        rootColourMap = screen.default_colormap
        screenSize = (Int(screen.width_in_pixels), Int(screen.height_in_pixels))
        atoms = XAtoms.receive(connection, pendingAtoms)
        displayScale = XResources.receive(connection, pendingResources).displayScale
        (acceptsSharedMemory, acceptsSharedPixmaps) = Self.checkSharedMemory(connection)
        maximumRequestByteCount = Int(xcb_get_maximum_request_length(connection)) * 4
        guard rootDepth == 24 || rootDepth == 32 else {
            throw XError("the X display has a colour depth of \(rootDepth) bits; 24 or 32 are needed")
        }
    }

    deinit { xcb_disconnect(pointer) }

    /// Connects to an X display, using the authorisation cookie from an authority file if one is given.
    private static func connect(_ display: String?, _ authority: String?, _ screen: inout Int32) -> OpaquePointer? {
        guard let authority else { return xcb_connect(display, &screen) }
        let name = display ?? getenv("DISPLAY").map { String(cString: $0) } ?? ""
        return withAuthority(name, authority) { xcb_connect_to_display_with_auth_info(name, $0, &screen) }
    }

    /// Calls `body` with the authorisation cookie from an authority file. If there is no file or no matching cookie,
    /// `body` receives empty data, and the server decides whether to accept the connection.
    private static func withAuthority<Result>(
        _ display: String, _ authority: String, _ body: (UnsafeMutablePointer<xcb_auth_info_t>) -> Result
    ) -> Result {
        let file = authority.isEmpty ? defaultAuthority : authority
        let cookie = (try? XAuthority(contentsOf: file))?.cookie(for: XAuthority.servers(of: display))
        var method = cookie == nil ? [] : XAuthority.cookieName.map { CChar(bitPattern: $0) }
        var data = (cookie ?? []).map { CChar(bitPattern: $0) }
        return method.withUnsafeMutableBufferPointer { method in
            data.withUnsafeMutableBufferPointer { data in
                var info = xcb_auth_info_t(
                    namelen: Int32(method.count), name: method.baseAddress, datalen: Int32(data.count),
                    data: data.baseAddress)
                return body(&info)
            }
        }
    }

    /// The path of the default authority file: the value of `$XAUTHORITY`, or `.Xauthority` in the home directory.
    private static var defaultAuthority: String {
        if let file = getenv("XAUTHORITY"), file.pointee != 0 { return String(cString: file) }
        return (getenv("HOME").map { String(cString: $0) } ?? "") + "/.Xauthority"
    }

    /// Returns whether the server accepts shared memory, and whether it accepts shared memory for pixmaps.
    private static func checkSharedMemory(_ connection: OpaquePointer) -> (memory: Bool, pixmaps: Bool) {
        guard let data = xcb_get_extension_data(connection, cxcb_shm_extension()), data.pointee.present != 0,
            let reply = xcb_shm_query_version_reply(connection, xcb_shm_query_version(connection), nil)
        else { return (false, false) }
        defer { free(reply) }
        guard (reply.pointee.major_version, reply.pointee.minor_version) >= (1, 2), acceptsDescriptors(connection)
        else { return (false, false) }
        return (
            true,
            reply.pointee.shared_pixmaps != 0
                && UInt32(reply.pointee.pixmap_format) == XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue
        )
    }

    /// Returns whether the connection passes file descriptors. An SSH tunnel passes none, whatever the protocol
    /// version, so this function attaches a test segment.
    private static func acceptsDescriptors(_ connection: OpaquePointer) -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isLocal =
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getpeername(xcb_get_file_descriptor(connection), $0, &length)
                }
            } == 0 && Int32(address.ss_family) == AF_UNIX
        guard isLocal, let file = try? MemoryFile(name: "swiftplay-probe", size: 4096),
            let descriptor = try? file.descriptor.duplicate().release()
        else { return false }
        let segment = xcb_generate_id(connection)
        if let error = xcb_request_check(connection, xcb_shm_attach_fd_checked(connection, segment, descriptor, 1)) {
            free(error)
            return false
        }
        xcb_shm_detach(connection, segment)
        return true
    }

    /// The descriptor to poll for events and replies.
    package var descriptor: Int32 { xcb_get_file_descriptor(pointer) }
    /// Whether the connection to the X server has failed.
    package var isBroken: Bool { xcb_connection_has_error(pointer) != 0 }
    /// Sends all queued requests to the server.
    package func flush() { xcb_flush(pointer) }
    /// Returns an unused identifier for a new resource of the server, such as a pixmap.
    package func newID() -> UInt32 { xcb_generate_id(pointer) }

    /// Returns the 32-bit words of a property's value and frees the reply.
    func words(of reply: UnsafeMutablePointer<xcb_get_property_reply_t>?) -> [UInt32] {
        guard let reply else { return [] }
        defer { free(reply) }
        guard reply.pointee.format == 32, let value = xcb_get_property_value(reply) else { return [] }
        let count = Int(xcb_get_property_value_length(reply)) / 4
        return (0..<count).map { value.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
    }

    /// Returns at most `limit` 32-bit words of a window's property. Waits for the server. Returns an empty array for a
    /// missing property.
    package func propertyWords(_ property: xcb_atom_t, of window: xcb_window_t, limit: UInt32 = 64) -> [UInt32] {
        words(of: xcb_get_property_reply(pointer, xcb_get_property(pointer, 0, window, property, 0, 0, limit), nil))
    }

    /// Shuts the connection down for all threads: functions that wait for the server return, and ``isBroken`` becomes
    /// true.
    package func disconnect() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Waits until the server has processed all requests sent so far. Returns false if the connection has failed.
    @discardableResult
    package func sync() -> Bool {
        guard let reply = xcb_get_input_focus_reply(pointer, xcb_get_input_focus(pointer), nil) else { return false }
        free(reply)
        return true
    }

    /// Runs `body` while the server executes no requests of other clients. Requests of other clients that arrive
    /// meanwhile wait until `body` has returned.
    ///
    /// `body` must not wait for replies of the server or for other threads.
    package func withServerGrabbed<Result>(_ body: () -> Result) -> Result {
        xcb_grab_server(pointer)
        sync()
        defer {
            xcb_ungrab_server(pointer)
            flush()
        }
        return body()
    }

    /// Whether a window manager that follows EWMH is running. Waits for the server.
    ///
    /// A window manager that has exited may leave its property on the root window. Therefore EWMH demands that the
    /// window which the property names has the same property and names itself.
    package var hasWindowManager: Bool {
        func checkWindow(of window: xcb_window_t) -> xcb_window_t? {
            let cookie = xcb_get_property(pointer, 0, window, atoms.supportingWMCheck, XCB_ATOM_WINDOW.rawValue, 0, 1)
            return words(of: xcb_get_property_reply(pointer, cookie, nil)).first
        }
        guard let window = checkWindow(of: root) else { return false }
        return checkWindow(of: window) == window
    }
}
