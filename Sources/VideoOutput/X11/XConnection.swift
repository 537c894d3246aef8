import CXCB
import Glibc
import SystemCalls

/// One connection to an X server. XCB's calls may come from any thread; a server that goes away makes them do nothing
/// and ``isBroken`` true, and ends nobody's process.
package final class XConnection: @unchecked Sendable {
    // Sendable: `pointer` is set once, and libxcb locks inside every call; the rest is constant after `init`.
    package let pointer: OpaquePointer
    package let root: xcb_window_t
    package let rootVisual: xcb_visualid_t
    package let rootDepth: UInt8
    /// In the display's name.
    let screenNumber: Int32
    package let screenSize: (width: Int, height: Int)
    package let atoms: XAtoms
    /// The server takes shared memory by descriptor (MIT-SHM 1.2): not so over a network.
    package let sharesMemory: Bool
    /// That memory can be a pixmap too.
    package let sharesPixmaps: Bool
    /// Bytes that one request may have.
    package let maximumRequestBytes: Int

    /// - Parameters:
    ///   - display: `:0` and the like; nil for `$DISPLAY`.
    ///   - authority: file with the cookie, a regular one; "" for the usual one; nil to leave the choice to libxcb.
    package convenience init(display: String? = nil, authority: String? = nil) throws(XError) {
        var number: Int32 = 0
        let connected = Self.connect(display, authority, &number)
        let name = display ?? getenv("DISPLAY").map { String(cString: $0) } ?? ""
        try self.init(connected, name: name, screen: number)
    }

    /// Waits for the server's answers, as long as the socket is not shut down.
    ///
    /// - Parameter authority: file with the cookie, a regular one; "" for the usual one.
    package convenience init(socket: XDisplaySocket, authority: String) throws(XError) {
        let descriptor: Int32
        do throws(SystemCallError) {
            descriptor = try socket.duplicate()
        } catch { throw XError("cannot connect to the X display \(socket.display): \(error)") }
        let connected = Self.withAuthority(socket.display, authority) { xcb_connect_to_fd(descriptor, $0) }
        try self.init(connected, name: socket.display, screen: socket.screen)
        guard !isBroken else { throw XError("the X display \(socket.display) does not answer") }
    }

    private init(_ connected: OpaquePointer?, name: String, screen number: Int32) throws(XError) {
        guard let connected, xcb_connection_has_error(connected) == 0 else {
            if let connected { xcb_disconnect(connected) }
            throw XError(
                name.isEmpty ? "no X display is named: set DISPLAY" : "cannot connect to the X display \(name)")
        }
        // Asked for now, answered while the atoms are on their way.
        xcb_prefetch_extension_data(connected, cxcb_shm_extension())
        xcb_prefetch_extension_data(connected, cxcb_present_extension())
        xcb_prefetch_maximum_request_length(connected)
        let pending = XAtoms.request(connected)
        var screens = xcb_setup_roots_iterator(xcb_get_setup(connected))
        for _ in 0..<max(number, 0) where screens.rem > 1 { xcb_screen_next(&screens) }
        guard let screen = screens.data?.pointee else {
            xcb_disconnect(connected)
            throw XError("the X display has no screen")
        }
        pointer = connected
        root = screen.root
        screenNumber = number
        rootVisual = screen.root_visual
        rootDepth = screen.root_depth
        screenSize = (Int(screen.width_in_pixels), Int(screen.height_in_pixels))
        atoms = XAtoms.receive(connected, pending)
        (sharesMemory, sharesPixmaps) = Self.checkSharedMemory(connected)
        maximumRequestBytes = Int(xcb_get_maximum_request_length(connected)) * 4
        guard rootDepth == 24 || rootDepth == 32 else {
            throw XError("the X display has \(rootDepth) bits a pixel; 24 are needed")
        }
    }

    deinit { xcb_disconnect(pointer) }

    private static func connect(_ display: String?, _ authority: String?, _ screen: inout Int32) -> OpaquePointer? {
        guard let authority else { return xcb_connect(display, &screen) }
        let name = display ?? getenv("DISPLAY").map { String(cString: $0) } ?? ""
        return withAuthority(name, authority) { xcb_connect_to_display_with_auth_info(name, $0, &screen) }
    }

    /// Lets `body` connect with the cookie of an authority file. Without one, or without such a file, the server
    /// decides by itself whom it lets in.
    private static func withAuthority<Result>(
        _ display: String, _ authority: String, _ body: (UnsafeMutablePointer<xcb_auth_info_t>) -> Result
    ) -> Result {
        let file = authority.isEmpty ? usualAuthority : authority
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

    /// `$XAUTHORITY`, else the file in the home directory.
    private static var usualAuthority: String {
        if let file = getenv("XAUTHORITY"), file.pointee != 0 { return String(cString: file) }
        return (getenv("HOME").map { String(cString: $0) } ?? "") + "/.Xauthority"
    }

    private static func checkSharedMemory(_ c: OpaquePointer) -> (memory: Bool, pixmaps: Bool) {
        guard let data = xcb_get_extension_data(c, cxcb_shm_extension()), data.pointee.present != 0,
            let reply = xcb_shm_query_version_reply(c, xcb_shm_query_version(c), nil)
        else { return (false, false) }
        defer { free(reply) }
        guard (reply.pointee.major_version, reply.pointee.minor_version) >= (1, 2), takesDescriptors(c) else {
            return (false, false)
        }
        return (
            true,
            reply.pointee.shared_pixmaps != 0
                && UInt32(reply.pointee.pixmap_format) == XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue
        )
    }

    /// The version says nothing about the way there: through a tunnel descriptors do not pass. So one is tried.
    private static func takesDescriptors(_ c: OpaquePointer) -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isLocal =
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getpeername(xcb_get_file_descriptor(c), $0, &length)
                }
            } == 0 && Int32(address.ss_family) == AF_UNIX
        guard isLocal, let file = try? MemoryFile(name: "swiftplay-probe", size: 4096),
            let copy = try? file.descriptor.duplicate().release()
        else { return false }
        let segment = xcb_generate_id(c)
        if let error = xcb_request_check(c, xcb_shm_attach_fd_checked(c, segment, copy, 1)) {
            free(error)
            return false
        }
        xcb_shm_detach(c, segment)
        return true
    }

    package var descriptor: Int32 { xcb_get_file_descriptor(pointer) }
    package var isBroken: Bool { xcb_connection_has_error(pointer) != 0 }
    package func flush() { xcb_flush(pointer) }
    package func newID() -> UInt32 { xcb_generate_id(pointer) }

    /// Returns the 32-bit words of a property's value, and frees the reply.
    func words(of reply: UnsafeMutablePointer<xcb_get_property_reply_t>?) -> [UInt32] {
        guard let reply else { return [] }
        defer { free(reply) }
        guard reply.pointee.format == 32, let value = xcb_get_property_value(reply) else { return [] }
        let count = Int(xcb_get_property_value_length(reply)) / 4
        return (0..<count).map { value.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
    }

    /// Ends the connection for all threads: calls that wait for a server which does not answer return, and ``isBroken``
    /// is true.
    package func disconnect() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Returns when the server has done everything asked for so far. False when it is gone.
    @discardableResult
    package func sync() -> Bool {
        guard let reply = xcb_get_input_focus_reply(pointer, xcb_get_input_focus(pointer), nil) else { return false }
        free(reply)
        return true
    }

    /// Runs `body`, which asks nothing of the server and waits for nothing, while nobody else's requests are carried
    /// out. What it sends is carried out before theirs.
    package func withServerGrabbed<Result>(_ body: () -> Result) -> Result {
        xcb_grab_server(pointer)
        sync()
        defer {
            xcb_ungrab_server(pointer)
            flush()
        }
        return body()
    }

    /// Whether a window manager that follows EWMH runs. One that has exited may leave its property on the root window,
    /// so the window that the property names must name itself, as EWMH demands. Waits for the server.
    package var hasWindowManager: Bool {
        func checkWindow(of window: xcb_window_t) -> xcb_window_t? {
            let cookie = xcb_get_property(pointer, 0, window, atoms.supportingWMCheck, XCB_ATOM_WINDOW.rawValue, 0, 1)
            return words(of: xcb_get_property_reply(pointer, cookie, nil)).first
        }
        guard let window = checkWindow(of: root) else { return false }
        return checkWindow(of: window) == window
    }
}
