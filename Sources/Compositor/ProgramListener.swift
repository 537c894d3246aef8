import CompositorProtocol
import Glibc
import Logging
import SystemCalls
import WireFormat

/// The listening socket for programs. Used by the compositor's main thread.
final class ProgramListener: EventSource {
    let path: String
    private let socket: FileDescriptor
    /// The lock file, locked as long as this process listens.
    private let lock: FileDescriptor
    private let programs: ProgramConnections
    private let logger: Logger
    /// The host time until which no connection is accepted, because accepting failed (no descriptors left, for
    /// example).
    private var restsUntil: Int64?

    /// Starts listening; returns `nil` if another compositor of this user already listens.
    ///
    /// - Throws: `SystemCallError` if the lock file or the socket cannot be created.
    init?(programs: ProgramConnections, logger: Logger) throws(SystemCallError) {
        (self.programs, self.logger) = (programs, logger)
        lock = try FileDescriptor(opening: CompositorAddress.lockPath(), flags: O_RDWR | O_CREAT, mode: 0o600)
        guard flock(lock.raw, LOCK_EX | LOCK_NB) == 0 else { return nil }
        path = try CompositorAddress.socketPath()
        // Only the owner of the lock may listen. An existing socket was left by a compositor that crashed.
        unlink(path)
        socket = try LocalSocket.listen(path: path)
    }

    deinit { unlink(path) }

    var entries: [Poll.Entry] { [Poll.Entry(socket.raw, restsUntil == nil ? .readable : [])] }
    var deadline: Int64? { restsUntil }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        if let end = restsUntil, now >= end { restsUntil = nil }
        guard ready.contains(where: { $0.ready.contains(.readable) }) else { return }
        while true {
            let accepted: MessageSocket?
            do throws(SystemCallError) {
                accepted = try LocalSocket.accept(socket)
            } catch {
                logger.error("cannot accept another program: \(error)")
                restsUntil = MonotonicTime.now + MonotonicTime.nanosecondsPerSecond
                return
            }
            guard let accepted else { return }
            guard let peer = accepted.peer, peer.userID == getuid() else {
                logger.warning("refused a program of another user")
                continue
            }
            programs.add(accepted, processID: peer.processID)
        }
    }
}
