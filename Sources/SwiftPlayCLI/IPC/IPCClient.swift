import CLinux
import Glibc
import SystemCalls

/// One client's socket and conversation; lives on the server's thread.
final class IPCClient {
    let descriptor: FileDescriptor
    /// Nothing more is to be said: the client is to be let go.
    private(set) var isFinished = false
    /// The client will send no more, but may yet read what it asked for.
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

    /// What to wait for.
    var interest: Poll.Events {
        var events: Poll.Events = hasEnded ? [] : .readable
        if !session.output.isEmpty { events.insert(.writable) }
        return events
    }

    /// Reads once, as much as fits into `buffer`, and carries out the whole lines.
    ///
    /// - Parameter effect: called after each line, with what it may have changed.
    func read(buffer: inout [UInt8], effect: (IPCSession.Effect) -> Void) {
        let count = buffer.withUnsafeMutableBytes {
            recv(descriptor.raw, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        guard count > 0 else {
            // After the end the only thing left to come is the other side's going away.
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

    /// Notes that a property may have changed; nil means any.
    func mark(_ property: String?) { session.observers.mark(property) }

    /// Sends what can be sent, what observed properties have become included. When that leaves something to be sent,
    /// the socket's becoming writable is what goes on from here.
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

    /// Sends what the socket takes without waiting.
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
