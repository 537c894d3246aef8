/// When the stream of messages of a push server is opened, and opened again: a value. Times are monotonic.
package struct ListenPolicy: Hashable, Sendable {
    /// The first and the longest delay after the end of a stream. Each end without a line doubles the delay.
    package static let firstDelay = Duration.seconds(2), longestDelay = Duration.seconds(120)

    package enum State: Hashable, Sendable {
        /// No program listens.
        case off
        /// A stream is opened at this time.
        case waiting(until: Duration)
        /// A stream was requested, and no line has arrived yet.
        case connecting
        /// Lines arrive.
        case open
    }

    package enum Input: Hashable, Sendable {
        /// Whether any program listens.
        case wanted(Bool)
        /// The programs that listen have changed, so that another stream is needed.
        case topicsChanged
        /// A line has arrived.
        case line
        /// The stream has ended.
        ///
        /// - Parameters:
        ///   - retryAfter: The delay that the server asks for.
        ///   - isRefused: Whether the server will refuse the next request too, such as without a permission.
        case ended(retryAfter: Duration?, isRefused: Bool)
        /// The machine has another network, or has woken up: an old connection may be dead.
        case networkChanged
        /// Time has passed.
        case timer
    }

    package enum Action: Hashable, Sendable {
        case connect
        case disconnect
    }

    package private(set) var state = State.off
    private var delay = firstDelay

    package init() {}

    /// The time at which ``Input/timer`` is due; nil for none.
    package var nextTime: Duration? { if case .waiting(let time) = state { time } else { nil } }

    /// Returns the actions that an input causes, in their order.
    ///
    /// - Parameter spread: A random number of 0 to 1, by which programs on many machines do not return at once.
    package mutating func handle(_ input: Input, now: Duration, spread: Double) -> [Action] {
        switch (state, input) {
        case (.off, .wanted(true)): return connect()
        case (.waiting(let time), .timer) where now >= time: return connect()
        case (.waiting, .networkChanged):
            delay = Self.firstDelay
            return connect()
        case (.connecting, .topicsChanged), (.open, .topicsChanged), (.connecting, .networkChanged),
            (.open, .networkChanged):
            return [.disconnect] + connect()
        case (.connecting, .line):
            state = .open
            delay = Self.firstDelay
        case (.connecting, .ended(let retryAfter, let isRefused)), (.open, .ended(let retryAfter, let isRefused)):
            if isRefused { delay = Self.longestDelay }
            let pause = max(delay * (0.75 + 0.5 * spread), retryAfter ?? .zero)
            state = .waiting(until: now + pause)
            delay = min(delay * 2, Self.longestDelay)
        case (.connecting, .wanted(false)), (.open, .wanted(false)):
            state = .off
            return [.disconnect]
        case (.waiting, .wanted(false)): state = .off
        default: break
        }
        return []
    }

    private mutating func connect() -> [Action] {
        state = .connecting
        return [.connect]
    }
}
