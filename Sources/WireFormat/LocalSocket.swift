import CLinux
import Glibc
import SystemCalls

/// Local (Unix domain) sockets with a path in the file system.
package enum LocalSocket {
    /// The time between attempts to connect to a listener that accepts no connections, in nanoseconds.
    private static let attemptInterval: Int64 = 5_000_000

    /// Connects to the message socket (`SOCK_SEQPACKET`) at `path`. Messages from the peer have at most
    /// `messageLimit` bytes.
    ///
    /// - Parameter deadline: The host time until which the caller waits for a listener that accepts no connections, in
    ///   nanoseconds; nil to return at once.
    /// - Throws: `SystemCallError`; with the number `EAGAIN` if too many connections wait for the listener.
    package static func connect(
        path: String, messageLimit: Int = WireLimits.messageBytes, until deadline: Int64? = nil
    ) throws(SystemCallError) -> MessageSocket {
        while true {
            do throws(SystemCallError) {
                let descriptor = try makeSocket()
                try descriptor.setNonBlocking(true)
                let socketNumber = descriptor.raw
                try withAddress("connect", path) { Glibc.connect(socketNumber, $0, $1) }
                return try MessageSocket(descriptor, messageLimit: messageLimit)
            } catch {
                guard error.number == EAGAIN, let deadline, MonotonicTime.now < deadline else { throw error }
                // No event reports that the listener has accepted a connection.
                MonotonicTime.sleep(attemptInterval)
            }
        }
    }

    /// Connects to the stream socket (`SOCK_STREAM`) of another program at `path`, without waiting.
    package static func connectStream(path: String) throws(SystemCallError) -> FileDescriptor {
        let descriptor = FileDescriptor(
            owning: try systemCall("socket") {
                socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            })
        try descriptor.setNonBlocking(true)
        let socketNumber = descriptor.raw
        try withAddress("connect", path) { Glibc.connect(socketNumber, $0, $1) }
        return descriptor
    }

    /// Listens at `path`, which must not exist yet. Only the current user may access the socket file.
    package static func listen(path: String) throws(SystemCallError) -> FileDescriptor {
        let descriptor = try makeSocket()
        try descriptor.setNonBlocking(true)
        // `bind` creates the file with the mode of the socket's inode, so the file never has wider permissions.
        try systemCall("fchmod") { fchmod(descriptor.raw, 0o600) }
        let socketNumber = descriptor.raw
        try withAddress("bind", path) { Glibc.bind(socketNumber, $0, $1) }
        try systemCall("listen") { Glibc.listen(descriptor.raw, 16) }
        return descriptor
    }

    /// Accepts the next connection, whose received messages have at most `messageLimit` bytes; nil if none is pending.
    package static func accept(
        _ listener: borrowing FileDescriptor, messageLimit: Int = WireLimits.messageBytes
    ) throws(SystemCallError) -> MessageSocket? {
        do {
            return try MessageSocket(
                FileDescriptor(owning: try systemCall("accept4") { clinux_accept_cloexec(listener.raw) }),
                messageLimit: messageLimit)
        } catch {
            if error.number == EAGAIN || error.number == ECONNABORTED { return nil }
            throw error
        }
    }

    /// Creates an unconnected `SOCK_SEQPACKET` socket.
    private static func makeSocket() throws(SystemCallError) -> FileDescriptor {
        FileDescriptor(
            owning: try systemCall("socket") {
                socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            })
    }

    /// Calls `body`, which calls `connect` or `bind`, with the socket address of `path`.
    ///
    /// - Parameter call: The name of the system call, for the thrown error.
    private static func withAddress(
        _ call: String, _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(SystemCallError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let pathBytes = Array(path.utf8)
        let maximumPathLength = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard !pathBytes.isEmpty, pathBytes.count <= maximumPathLength else {
            throw SystemCallError(call: call, number: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: pathBytes) }
        try systemCall(call) {
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
    }
}
