import CLinux
import Glibc
import SystemCalls

/// A listening Unix socket to which only its owner may connect.
struct IPCSocketFile: Sendable {
    /// The path of the socket.
    let path: String
    /// The listening socket.
    let descriptor: SharedDescriptor
    /// The device number of the socket's file. Together with ``inode`` it shows whether another file has replaced the
    /// socket's file.
    private let device: dev_t
    /// The inode number of the socket's file.
    private let inode: ino_t

    /// The largest length of a socket's path in bytes, without the terminating zero byte.
    static let maximumPathBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Listens at `path`. Replaces an abandoned socket of the same user; any other file stays unchanged.
    ///
    /// - Throws: ``IPCServerError`` if the path is invalid or in use, or if a system call fails.
    init(listeningAt path: String) throws(IPCServerError) {
        guard (1...Self.maximumPathBytes).contains(path.utf8.count), !path.utf8.contains(0) else {
            throw .badPath(path)
        }
        try Self.removeAbandonedSocket(at: path)
        var isBound = false
        do throws(SystemCallError) {
            let socket = try Self.makeSocket()
            // `bind` creates the file with the mode of the socket. Set that mode first, so that another user can never
            // connect.
            try systemCall("fchmod") { fchmod(socket.raw, 0o600) }
            try systemCall("bind") { Self.withAddress(path) { bind(socket.raw, $0, $1) } }
            isBound = true
            // The umask of the process may have removed even the owner's permissions.
            try systemCall("chmod") { chmod(path, 0o600) }
            var status = stat()
            try systemCall("lstat") { lstat(path, &status) }
            (device, inode) = (status.st_dev, status.st_ino)
            try systemCall("listen") { listen(socket.raw, 16) }
            try socket.setNonBlocking(true)
            self.path = path
            descriptor = SharedDescriptor(socket)
        } catch {
            if isBound { unlink(path) }
            throw error.number == EADDRINUSE ? .inUse(path) : .system(path: path, error)
        }
    }

    /// Removes the socket's file, unless another file has replaced it.
    func remove() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else { return }
        unlink(path)
    }

    /// Accepts and returns the connection of the next client; nil if no client waits, or if the client belongs to
    /// another user.
    ///
    /// - Throws: `SystemCallError` if the system is out of file descriptors or memory.
    func accept() throws(SystemCallError) -> FileDescriptor? {
        let rawDescriptor = clinux_accept_cloexec(descriptor.raw)
        guard rawDescriptor >= 0 else {
            if [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) {
                throw SystemCallError(call: "accept4", number: errno)
            }
            return nil
        }
        let client = FileDescriptor(owning: rawDescriptor)
        var (process, user): (Int32, UInt32) = (0, 0)
        guard clinux_peer_credentials(client.raw, &process, &user) == 0, user == geteuid() else { return nil }
        return client
    }

    /// Creates a Unix socket that is neither connected nor listening.
    private static func makeSocket() throws(SystemCallError) -> FileDescriptor {
        let socketType = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        return FileDescriptor(owning: try systemCall("socket") { socket(AF_UNIX, socketType, 0) })
    }

    /// Removes an abandoned socket at `path`. If two processes remove the same socket at the same moment, the process
    /// that listens last owns the path.
    private static func removeAbandonedSocket(at path: String) throws(IPCServerError) {
        do throws(SystemCallError) {
            var status = stat()
            guard lstat(path, &status) == 0 else {
                if errno == ENOENT { return }
                throw SystemCallError(call: "lstat", number: errno)
            }
            guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
                throw SystemCallError(call: "", number: EEXIST)
            }
            let probe = try makeSocket()
            try probe.setNonBlocking(true)
            // EAGAIN means that a process listens at the path, but its queue of connections is full.
            let connectResult = withAddress(path) { connect(probe.raw, $0, $1) }
            guard connectResult < 0, errno == ECONNREFUSED else {
                throw SystemCallError(
                    call: "connect", number: connectResult == 0 || errno == EAGAIN ? EADDRINUSE : errno)
            }
            var currentStatus = stat()
            guard lstat(path, &currentStatus) == 0, currentStatus.st_dev == status.st_dev,
                currentStatus.st_ino == status.st_ino
            else {
                throw SystemCallError(call: "connect", number: EADDRINUSE)
            }
            try systemCall("unlink") { unlink(path) }
        } catch {
            switch error.number {
            case EEXIST: throw .notOurSocket(path)
            case EADDRINUSE: throw .inUse(path)
            default: throw .system(path: path, error)
            }
        }
    }

    /// Calls `body` with `path` as a socket address. The path must not exceed ``maximumPathBytes``.
    private static func withAddress<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result)
        -> Result
    {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(maximumPathBytes)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
