/// The time limits of one background wake of a program: a fetch, a silent notification or the events of transfers.
///
/// Times are monotonic: the limits do not count the suspension of the machine.
package struct WakeMachine: Hashable, Sendable {
    /// The time after which the program is asked to finish.
    package static let expirationTime = Duration.seconds(25)
    /// The time after which the program's processes are terminated.
    package static let terminationTime = Duration.seconds(30)
    /// The time after which the program's processes are killed.
    package static let killTime = Duration.seconds(32)

    package enum State: Hashable, Sendable, CaseIterable {
        case running
        /// The program was asked to finish.
        case expiring
        /// The processes were terminated with SIGTERM.
        case terminating
        /// The processes were killed.
        case killing
        case ended
    }

    package enum Input: Hashable, Sendable, CaseIterable {
        /// The program called the completion handler.
        case complete
        /// All processes of the wake have exited.
        case exit
        /// Time has passed.
        case checkTime
    }

    package enum Action: Hashable, Sendable {
        case requestExpiration
        /// Send SIGTERM to all processes of the wake.
        case terminate
        /// Kill all processes of the wake.
        case kill
        case finish(Ending)
        /// The completion handler was called again, or too late.
        case logIgnoredCompletion
    }

    package enum Ending: Hashable, Sendable {
        case completed
        /// The program exited without a completion.
        case exited
        /// The program did not complete in time. If the ledger started it, its processes were stopped.
        case overran
    }

    package private(set) var state = State.running
    /// The monotonic time of the start.
    package let startTime: Duration
    /// Whether the user has started the program. Such a program is never stopped.
    package private(set) var isUserRunning: Bool

    package init(startTime: Duration, isUserRunning: Bool) {
        self.startTime = startTime
        self.isUserRunning = isUserRunning
    }

    /// Records that the user has opened the program, which the ledger had started. It is not stopped any more.
    package mutating func handleOpening() { isUserRunning = true }

    /// The monotonic time at which ``Input/checkTime`` is due, or nil.
    package var deadline: Duration? {
        switch state {
        case .running: startTime + Self.expirationTime
        case .expiring: startTime + Self.terminationTime
        case .terminating: startTime + Self.killTime
        case .killing, .ended: nil
        }
    }

    /// Handles an input and returns the actions, in order.
    package mutating func handle(_ input: Input, now: Duration) -> [Action] {
        switch (state, input) {
        case (.running, .complete), (.expiring, .complete): return end(.completed)
        case (.terminating, .complete), (.killing, .complete), (.ended, .complete): return [.logIgnoredCompletion]
        case (.running, .exit), (.expiring, .exit): return end(.exited)
        case (.terminating, .exit), (.killing, .exit): return end(.overran)
        case (.ended, .exit): return []
        case (_, .checkTime):
            // A late check passes several limits at once.
            var actions: [Action] = []
            while let deadline, now >= deadline { actions += passDeadline() }
            return actions
        }
    }

    private mutating func passDeadline() -> [Action] {
        switch state {
        case .running:
            state = .expiring
            return [.requestExpiration]
        case .expiring:
            if isUserRunning { return end(.overran) }
            state = .terminating
            return [.terminate]
        case .terminating:
            state = .killing
            return [.kill]
        case .killing, .ended: return []
        }
    }

    private mutating func end(_ ending: Ending) -> [Action] {
        state = .ended
        return [.finish(ending)]
    }
}

/// The tokens of running callbacks. Each token is completed once, also if the callbacks of a program overlap.
package struct CompletionTokens: Hashable, Sendable {
    private var openTokens: Set<Int> = []
    private var lastToken = 0

    package init() {}

    /// The number of callbacks that have not completed.
    package var openCount: Int { openTokens.count }

    /// Returns a new token.
    package mutating func issue() -> Int {
        lastToken += 1
        openTokens.insert(lastToken)
        return lastToken
    }

    /// Completes a token and returns whether this is its first completion.
    package mutating func complete(_ token: Int) -> Bool { openTokens.remove(token) != nil }
}
