import CLinux
import Glibc
import SystemCalls

/// The connection to one client of the IPC server: its socket and its protocol state. Only the server's thread uses it.
final class IPCClient {
    /// The client's socket.
    let descriptor: FileDescriptor
    /// Whether the server must disconnect the client.
    private(set) var mustDisconnect = false
    /// Whether the client has closed its sending side. The client may still read pending replies.
    private var hasReachedEndOfInput = false
    /// The protocol state of the client.
    private var session: IPCSession
    /// Splits the received bytes into lines, each of which is a request.
    private var lineSplitter: LineSplitter
    /// The size of pending output, in bytes, above which the output is sent immediately.
    private let flushThresholdBytes: Int

    /// Creates the connection to a new client, from which nothing was received yet.
    init(descriptor: consuming FileDescriptor, session: IPCSession, limits: IPCLimits) {
        self.descriptor = descriptor
        self.session = session
        lineSplitter = LineSplitter(limit: limits.maximumLineBytes)
        flushThresholdBytes = limits.flushThresholdBytes
    }

    /// The client's name, as the command `client_name` returns it.
    var name: String { session.name }

    /// The events that `poll` waits for on this client's socket.
    var pollEvents: Poll.Events {
        var events: Poll.Events = hasReachedEndOfInput ? [] : .readable
        if !session.output.isEmpty { events.insert(.writable) }
        return events
    }

    /// Receives once, at most `buffer.count` bytes, and executes all complete lines.
    ///
    /// - Parameters:
    ///   - buffer: Temporary memory for the received bytes.
    ///   - onChange: Receives the properties that each executed line may have changed. Called on the server's thread.
    func read(buffer: inout [UInt8], onChange: (IPCSession.ChangedProperties) -> Void) {
        let count = buffer.withUnsafeMutableBytes {
            recv(descriptor.raw, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        guard count > 0 else {
            // After the end of input, a second empty read means that the client has disconnected.
            if count == 0, !hasReachedEndOfInput {
                hasReachedEndOfInput = true
            } else if count == 0 || ![EAGAIN, EWOULDBLOCK, EINTR].contains(errno) {
                mustDisconnect = true
            }
            return
        }
        lineSplitter.append(buffer[..<count])
        while !mustDisconnect, let line = lineSplitter.nextLine() {
            onChange(session.receive(line))
            flushIfLarge()
        }
        if lineSplitter.isOverlong { mustDisconnect = true }
    }

    /// Sends an event of the player to the client.
    func deliver(_ event: IPCEvent) {
        guard !mustDisconnect, !hasReachedEndOfInput else { return }
        session.deliver(event)
        flushIfLarge()
    }

    /// Whether the client observes properties that change while a file plays.
    var observesPlayback: Bool { session.observers.observesPlayback }

    /// Records that properties may have changed, for the client's observers.
    func markAsChanged(_ properties: PropertyObservers.Mark) { session.observers.markAsChanged(properties) }

    /// Sends the pending output and the changes of observed properties to the client, without waiting.
    ///
    /// If output remains, the server calls this method again when the socket becomes writable.
    func sendPendingOutput() {
        flush()
        guard !mustDisconnect else { return }
        if hasReachedEndOfInput {
            mustDisconnect = session.output.isEmpty
            return
        }
        session.deliverPropertyChanges()
        flush()
        if session.isOverflowing { mustDisconnect = true }
    }

    /// Sends as many pending bytes as the socket accepts without blocking.
    private func flush() {
        while !mustDisconnect, !session.output.isEmpty {
            var isFull = false
            session.output.drain { bytes in
                let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
                let count = send(descriptor.raw, bytes.baseAddress, bytes.count, flags)
                if count > 0 { return count }
                if count < 0, errno == EINTR { return 0 }
                isFull = true
                if count < 0, errno != EAGAIN, errno != EWOULDBLOCK { mustDisconnect = true }
                return 0
            }
            if isFull { return }
        }
    }

    /// Sends the pending output if it exceeds ``flushThresholdBytes``. A client with too much pending output is
    /// disconnected.
    private func flushIfLarge() {
        if session.output.count > flushThresholdBytes { flush() }
        if session.isOverflowing { mustDisconnect = true }
    }
}
