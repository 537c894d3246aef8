import BackgroundProtocol
import Glibc
import SystemCalls
import WireFormat

/// The socket of one connected program. Used by the service's thread.
final class ClientConnection: EventSource {
    /// The most messages that are read in one iteration of the event loop.
    private static let messagesPerIteration = 64
    /// The time limit for a program's `hello`, in nanoseconds.
    private static let helloTimeout: Int64 = 5 * MonotonicTime.nanosecondsPerSecond
    /// The time for which nothing is read after a command that exceeded a limit, in nanoseconds: a program that floods
    /// the service takes the time of ten commands a second.
    private static let pauseAfterLimit = MonotonicTime.nanosecondsPerSecond / 10
    /// The most messages and bytes that wait for a program that does not read.
    static let queueLimit = (messages: 8192, bytes: 8 << 20)

    /// A message that waits until the program reads.
    private struct WaitingMessage {
        let bytes: [UInt8]
        let descriptors: [SharedDescriptor]
    }

    /// Who has started a program, and who uses it.
    struct Presence {
        /// Whether the service has started the program.
        var isBackgroundStart = false
        /// Whether a person uses the program.
        var isInForeground = false
        /// Whether the service has started the program, and no person uses it.
        var isInBackground: Bool { isBackgroundStart && !isInForeground }
    }

    /// The socket.
    private let socket: MessageSocket
    /// The process ID of the program when it connected.
    let processID: Int32
    /// The program; nil before `hello`.
    var client: Client?
    /// The version of the protocol that both sides speak since `hello`.
    var version = ClientLimits.oldestVersion
    /// Whether the program receives the changes of all transfers.
    var isWatching = false
    /// Who has started the program, and who uses it.
    var presence = Presence()
    /// The sessions to which the program is attached.
    var sessions: [Int64] = []
    /// The host time by which `hello` must have arrived.
    private let helloDeadline = MonotonicTime.now + helloTimeout
    /// The host time until which no messages are read; nil if they are read.
    private var pauseEnd: Int64?
    /// The messages that wait until the program reads, and their size in bytes.
    private var queue: [WaitingMessage] = [], queuedBytes = 0
    /// Whether the connection has ended.
    private(set) var isClosed = false
    /// Called with each message.
    var onMessage: (MessageSocket.ReceivedMessage, ClientConnection) throws(MalformedMessage) -> Void = { _, _ in }
    /// Called once when the connection has ended.
    var onClose: (ClientConnection) -> Void = { _ in }

    /// Takes over an accepted socket.
    init(socket: MessageSocket, processID: Int32) { (self.socket, self.processID) = (socket, processID) }

    /// The descriptor number of the socket.
    var raw: Int32 { socket.raw }
    /// Whether all messages were sent.
    var isQueueEmpty: Bool { queue.isEmpty }

    var entries: [Poll.Entry] {
        let events: Poll.Events = pauseEnd == nil ? .readable : []
        return [Poll.Entry(isClosed ? -1 : socket.raw, queue.isEmpty ? events : events.union(.writable))]
    }
    var deadline: Int64? {
        guard !isClosed else { return nil }
        return [pauseEnd, client == nil ? helloDeadline : nil].compactMap { $0 }.min()
    }

    /// Reads no messages for a moment.
    func pauseReading() { pauseEnd = MonotonicTime.now + Self.pauseAfterLimit }

    /// Sends a message, or queues it if the program does not read. Ends the connection if the queue is full.
    func send(_ event: ClientEvent, descriptors: [SharedDescriptor] = []) {
        guard !isClosed else { return }
        let message = WaitingMessage(bytes: event.encoded, descriptors: descriptors)
        if queue.isEmpty, send(message) { return }
        guard !isClosed else { return }
        queue.append(message)
        queuedBytes += message.bytes.count
        if queue.count > Self.queueLimit.messages || queuedBytes > Self.queueLimit.bytes { close() }
    }

    /// Sends a message at once.
    ///
    /// - Returns: False if the program must read first, or the connection has ended.
    private func send(_ message: WaitingMessage) -> Bool {
        do throws(SystemCallError) {
            try socket.send(message.bytes, descriptors: message.descriptors.map(\.raw))
            return true
        } catch {
            if error.number != EAGAIN { close() }
            return false
        }
    }

    /// Ends the connection.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        queue = []
        socket.shutdown()
        onClose(self)
    }

    /// Sends waiting messages and reads messages of the program.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        if client == nil, now >= helloDeadline { return close() }
        if let end = pauseEnd, now >= end { pauseEnd = nil }
        guard !isClosed, let events = ready.first?.ready, !events.isEmpty else { return }
        if events.contains(.writable) { sendWaitingMessages() }
        guard !events.isDisjoint(with: [.readable, .hungUp, .failed]) else { return }
        // Of a program that has hung up, the rest is read at once.
        for _ in 0..<Self.messagesPerIteration {
            guard !isClosed, pauseEnd == nil || !events.isDisjoint(with: [.hungUp, .failed]) else { return }
            switch socket.receive() {
            case .nothing: return
            case .closed: return close()
            case .message(let message):
                do throws(MalformedMessage) { try onMessage(message, self) } catch { return close() }
            }
        }
    }

    /// Sends waiting messages until the program must read again.
    private func sendWaitingMessages() {
        var count = 0
        while count < queue.count, send(queue[count]) {
            queuedBytes -= queue[count].bytes.count
            count += 1
        }
        queue.removeFirst(min(count, queue.count))
    }
}
