import CLinux
import Glibc
import SystemCalls

/// The socket and the session of one client. Only the server's thread uses it.
final class IPCClient {
    let descriptor: FileDescriptor
    /// True when the server should disconnect the client.
    private(set) var isFinished = false
    /// True after the client closed its sending side. It may still read pending replies.
    private var hasEnded = false
    private var session: IPCSession
    private var lines: LineSplitter
    private let eagerBytes: Int

    init(descriptor: consuming FileDescriptor, session: IPCSession, limits: IPCLimits) {
        self.descriptor = descriptor
        self.session = session
        lines = LineSplitter(limit: limits.lineBytes)
        eagerBytes = limits.eagerBytes
    }

    /// The events that `poll` waits for on this client's socket.
    var interest: Poll.Events {
        var events: Poll.Events = hasEnded ? [] : .readable
        if !session.output.isEmpty { events.insert(.writable) }
        return events
    }

    /// Receives once, at most `buffer.count` bytes, and executes all complete lines.
    ///
    /// - Parameters:
    ///   - buffer: Scratch space for the received bytes.
    ///   - effect: Receives what each executed line may have changed. Called on the server's thread.
    func read(buffer: inout [UInt8], effect: (IPCSession.Effect) -> Void) {
        let count = buffer.withUnsafeMutableBytes {
            recv(descriptor.raw, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        guard count > 0 else {
            // After the end of input, a second empty read means that the client has disconnected.
            if count == 0, !hasEnded {
                hasEnded = true
            } else if count == 0 || ![EAGAIN, EWOULDBLOCK, EINTR].contains(errno) {
                isFinished = true
            }
            return
        }
        lines.append(buffer[..<count])
        while !isFinished, let line = lines.next() {
            effect(session.receive(line))
            flushIfLarge()
        }
        if lines.isOverlong { isFinished = true }
    }

    func deliver(_ event: IPCEvent) {
        guard !isFinished, !hasEnded else { return }
        session.deliver(event)
        flushIfLarge()
    }

    /// Marks a property as possibly changed; nil marks all properties.
    func mark(_ property: String?) { session.observers.mark(property) }

    /// Sends pending output and changes of observed properties without waiting.
    ///
    /// If output remains, the server calls this method again when the socket becomes writable.
    func settle() {
        flush()
        guard !isFinished else { return }
        if hasEnded {
            isFinished = session.output.isEmpty
            return
        }
        session.deliverPropertyChanges()
        flush()
        if session.isOverflowing { isFinished = true }
    }

    /// Sends as many bytes as the socket accepts without blocking.
    private func flush() {
        while !isFinished, !session.output.isEmpty {
            var isFull = false
            session.output.drain { bytes in
                let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
                let count = send(descriptor.raw, bytes.baseAddress, bytes.count, flags)
                if count > 0 { return count }
                if count < 0, errno == EINTR { return 0 }
                isFull = true
                if count < 0, errno != EAGAIN, errno != EWOULDBLOCK { isFinished = true }
                return 0
            }
            if isFull { return }
        }
    }

    private func flushIfLarge() {
        if session.output.count > eagerBytes { flush() }
        if session.isOverflowing { isFinished = true }
    }
}
