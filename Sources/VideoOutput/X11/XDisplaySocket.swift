import CLinux
import CXCB
import Glibc
import SystemCalls

/// A stream socket that is connected to the X server of a display.
///
/// libxcb waits for a server's first reply without a deadline. Another thread can end this wait by shutting the socket
/// down.
package final class XDisplaySocket: Sendable {
    /// The name of the X display, such as `:0`.
    package let display: String
    /// The number of the screen in the X display's name: 1 in `:0.1`.
    let screen: Int32
    /// The connected socket.
    private let descriptor: FileDescriptor

    /// Connects to the server of `display` (`:0`, `unix:0.1`, `host:0`).
    ///
    /// - Parameter deadline: The host time at which the attempt ends. Only the resolution of a host name may take
    ///   longer.
    /// - Throws: `XError` if the display name is invalid or no server accepts the connection before the deadline.
    package init(display: String, until deadline: Int64) throws(XError) {
        var host: UnsafeMutablePointer<CChar>?, displayNumber: Int32 = 0, screen: Int32 = 0
        guard xcb_parse_display(display, &host, &displayNumber, &screen) != 0, let host else {
            throw XError(
                display.isEmpty ? "no X display is set: set DISPLAY" : "invalid X display name: \(display)")
        }
        defer { free(host) }
        let hostName = String(cString: host)
        let connectedSocket: FileDescriptor?
        if hostName.isEmpty || hostName == "unix" {
            let path = "/tmp/.X11-unix/X\(displayNumber)"
            // libxcb also tries the abstract socket name first.
            connectedSocket =
                Self.connectLocal(path, isAbstract: true, until: deadline)
                ?? Self.connectLocal(path, isAbstract: false, until: deadline)
        } else if hostName.hasPrefix("/") {
            connectedSocket = Self.connectLocal(hostName, isAbstract: false, until: deadline)
        } else {
            connectedSocket = Self.connectRemote(hostName, port: 6000 + Int(displayNumber), until: deadline)
        }
        guard let connectedSocket else { throw XError("cannot connect to the X display \(display)") }
        descriptor = connectedSocket
        (self.display, self.screen) = (display, screen)
    }

    /// Shuts the connection down: threads that wait for the server return with an error at once.
    package func shutdown() { _ = Glibc.shutdown(descriptor.raw, Int32(SHUT_RDWR)) }

    /// Returns another descriptor of the same connection for libxcb, which closes it.
    func duplicate() throws(SystemCallError) -> Int32 { try descriptor.duplicate().release() }

    /// Connects to a Unix domain socket; nil if that fails.
    private static func connectLocal(_ path: String, isAbstract: Bool, until deadline: Int64) -> FileDescriptor? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let pathBytes = (isAbstract ? [0] : []) + Array(path.utf8)
        guard pathBytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: pathBytes) }
        let length =
            MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + pathBytes.count + (isAbstract ? 0 : 1) } ?? 0
        return withUnsafeBytes(of: &address) { connect(AF_UNIX, $0.baseAddress, socklen_t(length), until: deadline) }
    }

    /// Connects to a server over TCP; nil if that fails.
    private static func connectRemote(_ host: String, port: Int, until deadline: Int64) -> FileDescriptor? {
        var addressList: UnsafeMutablePointer<addrinfo>?
        var hints = addrinfo()
        hints.ai_socktype = clinux_stream_socket_type
        guard port <= UInt16.max, getaddrinfo(host, String(port), &hints, &addressList) == 0 else { return nil }
        defer { freeaddrinfo(addressList) }
        var nextAddress = addressList
        while let info = nextAddress?.pointee {
            if let connectedSocket = connect(
                info.ai_family, UnsafeRawPointer(info.ai_addr), info.ai_addrlen, until: deadline)
            {
                return connectedSocket
            }
            nextAddress = info.ai_next
        }
        return nil
    }

    /// Connects to one socket address; nil if that fails before the deadline.
    private static func connect(
        _ family: Int32, _ address: UnsafeRawPointer?, _ length: socklen_t, until deadline: Int64
    ) -> FileDescriptor? {
        let socketNumber = clinux_nonblocking_stream_socket(family)
        guard socketNumber >= 0, let address else { return nil }
        let connectedSocket = FileDescriptor(owning: socketNumber)
        while Glibc.connect(connectedSocket.raw, address.assumingMemoryBound(to: sockaddr.self), length) != 0 {
            switch errno {
            case EINTR: continue
            // If the server's backlog is full, try again after a pause: the kernel does not notify when there is room
            // again.
            case EAGAIN:
                guard MonotonicTime.now < deadline else { return nil }
                MonotonicTime.sleep(10_000_000)
            case EINPROGRESS:
                var entries = [Poll.Entry(connectedSocket.raw, .writable)]
                guard (try? Poll.wait(&entries, until: deadline)) == true else { return nil }
                var error: Int32 = 0, size = socklen_t(MemoryLayout<Int32>.size)
                guard getsockopt(connectedSocket.raw, SOL_SOCKET, SO_ERROR, &error, &size) == 0, error == 0 else {
                    return nil
                }
                return connectedSocket
            default: return nil
            }
        }
        return connectedSocket
    }
}
