import BackgroundProtocol
import Glibc
import Logging
import SystemCalls
import WireFormat

/// The listening socket for programs. Used by the service's thread.
final class ClientListener: EventSource {
    /// The most programs that are connected at a time.
    static let connectionLimit = 256
    /// The path of the socket.
    let path: String
    /// The listening socket.
    private let socket: FileDescriptor
    /// The lock file, locked as long as this process listens.
    private let lockFile: FileDescriptor
    private let logger: Logger
    /// The host time until which no connection is accepted, because accepting failed.
    private var pausedUntil: Int64?
    /// The connected programs.
    private(set) var connections: [ClientConnection] = []
    /// Called with each new connection.
    var onConnection: (ClientConnection) -> Void = { _ in }

    /// Starts listening; returns `nil` if another service of this user already listens.
    ///
    /// - Throws: `SystemCallError` if the lock file or the socket cannot be created.
    init?(logger: Logger) throws(SystemCallError) {
        self.logger = logger
        lockFile = try FileDescriptor(opening: BackgroundAddress.lockPath(), flags: O_RDWR | O_CREAT, mode: 0o600)
        guard flock(lockFile.raw, LOCK_EX | LOCK_NB) == 0 else { return nil }
        path = try BackgroundAddress.socketPath()
        // Only the process that holds the lock file may listen. An existing socket was left by a service that crashed.
        unlink(path)
        socket = try LocalSocket.listen(path: path)
    }

    deinit { removeSocketFile() }

    /// Removes the socket file, so that a program that connects while this process exits starts another service.
    func removeSocketFile() { unlink(path) }

    /// Forgets a connection that has ended.
    func remove(_ connection: ClientConnection) { connections.removeAll { $0 === connection } }

    var entries: [Poll.Entry] {
        let isAccepting = pausedUntil == nil && connections.count < Self.connectionLimit
        return [Poll.Entry(isAccepting ? socket.raw : -1)]
    }
    var deadline: Int64? { pausedUntil }

    /// Accepts the waiting connections of programs of the same user.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        if let pauseEnd = pausedUntil, now >= pauseEnd { pausedUntil = nil }
        guard ready.contains(where: { $0.isReady }) else { return }
        while connections.count < Self.connectionLimit {
            let accepted: MessageSocket?
            do throws(SystemCallError) {
                accepted = try LocalSocket.accept(socket, messageLimit: ClientLimits.messageBytes)
            } catch {
                logger.error("cannot accept another program: \(error)")
                pausedUntil = now + MonotonicTime.nanosecondsPerSecond
                return
            }
            guard let accepted else { return }
            guard let peer = accepted.peer, peer.userID == getuid() else {
                logger.warning("refused a program of another user")
                continue
            }
            let connection = ClientConnection(socket: accepted, processID: peer.processID)
            connections.append(connection)
            onConnection(connection)
        }
    }
}
