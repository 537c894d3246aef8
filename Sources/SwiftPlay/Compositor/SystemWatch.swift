import CompositorProtocol
import SystemCalls
import WireFormat

/// A connection to the compositor that keeps the lists of programs, sessions and pictures up to date. Does not start
/// the compositor: connects when a compositor starts, and again after a crash. Used by the thread of its event loop.
package final class SystemWatch: EventSource {
    /// What the compositor reports, or why it does not.
    package enum Event: Sendable {
        /// The current lists.
        case lists(SystemControl.Reply)
        /// No compositor runs. The last lists are out of date.
        case noCompositor
        /// The compositor cannot be used; the text gives the reason.
        case failed(String)
    }

    /// The time after which missing answers are reported, and the time after which a compositor that refuses the
    /// connection is tried again, in nanoseconds.
    private static let answerTimeout: Int64 = 3_000_000_000, retryInterval: Int64 = 5_000_000_000
    /// The shortest time between two requests of the lists, in nanoseconds.
    private static let refreshInterval: Int64 = 100_000_000
    /// The number of attempts after a compositor has created its socket, at which it listens a moment later.
    private static let startAttemptCount = 20

    /// Called with each event.
    private let onEvent: (Event) -> Void
    /// Reports a new socket in the directory of the compositor's files; nil if the directory cannot be watched.
    private let directory: DirectoryWatch?
    private var socket: MessageSocket?
    private var exchange = SystemWatchExchange()
    /// The host times of the next attempt to connect, of the next requests, and at which missing answers are reported.
    private var connectionTime: Int64?, refreshTime: Int64?, answerDeadline: Int64?
    /// The number of further attempts to connect.
    private var attemptCount = 1
    private var lastRefreshTime: Int64 = 0

    /// Creates a watch that connects in the first iteration of the loop.
    package init(onEvent: @escaping (Event) -> Void) {
        self.onEvent = onEvent
        directory = (try? CompositorAddress.directory()).flatMap { DirectoryWatch($0, [.contents, .creation]) }
        connectionTime = MonotonicTime.now
    }

    package var entries: [Poll.Entry] { [Poll.Entry(directory?.raw ?? -1), Poll.Entry(socket?.raw ?? -1)] }

    package var deadline: Int64? { [connectionTime, refreshTime, answerDeadline].compactMap(\.self).min() }

    package func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        if directory?.drain() == true, socket == nil {
            (connectionTime, attemptCount) = (now, Self.startAttemptCount)
        }
        if let time = connectionTime, now >= time { connect(now: now) }
        receive(now: now)
        if let deadline = answerDeadline, now >= deadline {
            // The connection stays open: a stopped compositor answers when it continues.
            answerDeadline = nil
            onEvent(.failed("the compositor does not respond"))
        }
        if let time = refreshTime, now >= time {
            refreshTime = nil
            if let requests = exchange.refresh() { send(requests, now: now) }
        }
    }

    private func connect(now: Int64) {
        connectionTime = nil
        attemptCount -= 1
        guard let newSocket = try? CompositorLauncher.connectIfRunning() else {
            if attemptCount > 0 { connectionTime = now + Self.refreshInterval } else { onEvent(.noCompositor) }
            return
        }
        (socket, exchange, answerDeadline) = (newSocket, SystemWatchExchange(), now + Self.answerTimeout)
        let hello = ClientMessage.hello(
            newest: ProtocolVersion.newest, oldest: ProtocolVersion.oldest, program: "overview")
        // A failure is handled when the socket is read, because the reason of a refusal can still arrive.
        try? newSocket.send(hello.encoded)
    }

    private func send(_ requests: [SystemRequest], now: Int64) {
        (lastRefreshTime, answerDeadline) = (now, now + Self.answerTimeout)
        for request in requests {
            try? socket?.send(ClientMessage.system(request, isPersistent: true).encoded)
        }
    }

    /// Reads all messages that have arrived.
    private func receive(now: Int64) {
        while let socket {
            switch socket.receive() {
            case .nothing: return
            case .closed:
                attemptCount = Self.startAttemptCount
                return lose(nil, retryAfter: 0, now: now)
            case .message(let message):
                guard let decoded = try? ServerMessage(decoding: message.bytes) else {
                    return lose(
                        .failed("the compositor sent an invalid message"), retryAfter: Self.retryInterval, now: now)
                }
                for action in exchange.handle(decoded) { perform(action, now: now) }
            }
        }
    }

    private func perform(_ action: SystemWatchExchange.Action, now: Int64) {
        switch action {
        case .refresh: refreshTime = max(now, lastRefreshTime + Self.refreshInterval)
        case .publish:
            answerDeadline = nil
            onEvent(.lists(exchange.reply))
        case .fail(let reason): lose(.failed(reason), retryAfter: Self.retryInterval, now: now)
        }
    }

    /// Ends the connection, and plans the next one.
    private func lose(_ event: Event?, retryAfter interval: Int64, now: Int64) {
        (socket, refreshTime, answerDeadline) = (nil, nil, nil)
        connectionTime = now + interval
        attemptCount = max(1, attemptCount)
        if let event { onEvent(event) }
    }
}
