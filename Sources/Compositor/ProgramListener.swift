import CompositorProtocol
import Glibc
import Logging
import SystemCalls
import WireFormat

/// The listening socket for programs. Used by the compositor's main thread.
final class ProgramListener: EventSource {
    /// The path of the socket.
    let path: String
    /// The listening socket.
    private let socket: FileDescriptor
    /// The lock file, locked as long as this process listens.
    private let lockFile: FileDescriptor
    /// Receives the accepted connections of programs.
    private let programs: ProgramConnections
    private let logger: Logger
    /// The host time until which no connection is accepted, because accepting failed (no descriptors left, for
    /// example).
    private var pausedUntil: Int64?

    /// Starts listening; returns `nil` if another compositor of this user already listens.
    ///
    /// - Throws: `SystemCallError` if the lock file or the socket cannot be created.
    init?(programs: ProgramConnections, logger: Logger) throws(SystemCallError) {
        (self.programs, self.logger) = (programs, logger)
        lockFile = try FileDescriptor(opening: CompositorAddress.lockPath(), flags: O_RDWR | O_CREAT, mode: 0o600)
        guard flock(lockFile.raw, LOCK_EX | LOCK_NB) == 0 else { return nil }
        path = try CompositorAddress.socketPath()
        // Only the process that holds the lock file may listen. An existing socket was left by a compositor that
        // crashed.
        unlink(path)
        socket = try LocalSocket.listen(path: path)
    }

    deinit { removeSocketFile() }

    /// Removes the socket file, so that a program that connects while this process exits starts another compositor
    /// instead of being disconnected.
    ///
    /// May be called repeatedly: no other compositor creates the file while this object holds the lock.
    func removeSocketFile() { unlink(path) }

    /// The listening socket to poll; polled for no event while accepting connections is paused.
    var entries: [Poll.Entry] { [Poll.Entry(socket.raw, pausedUntil == nil ? .readable : [])] }
    /// The host time at which accepting connections continues after an error; `nil` if it is not paused.
    var deadline: Int64? { pausedUntil }

    /// Accepts the waiting connections of programs of the same user.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        if let pauseEnd = pausedUntil, now >= pauseEnd { pausedUntil = nil }
        guard ready.contains(where: { $0.isReady }) else { return }
        while true {
            let acceptedSocket: MessageSocket?
            do throws(SystemCallError) {
                acceptedSocket = try LocalSocket.accept(socket)
            } catch {
                logger.error("cannot accept another program: \(error)")
                pausedUntil = MonotonicTime.now + MonotonicTime.nanosecondsPerSecond
                return
            }
            guard let acceptedSocket else { return }
            guard let peer = acceptedSocket.peer, peer.userID == getuid() else {
                logger.warning("refused a program of another user")
                continue
            }
            programs.add(acceptedSocket, processID: peer.processID)
        }
    }
}
