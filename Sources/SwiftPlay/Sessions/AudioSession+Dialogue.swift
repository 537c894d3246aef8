import CompositorProtocol

extension AudioSession {
    /// The connection to the compositor and the pending requests. A pure value.
    struct Dialogue {
        /// The next step for a request.
        enum Submission: Equatable {
            /// The request waits for the connection, which must be opened now.
            case opens
            /// The request waits for the connection.
            case waits
            /// The request must be sent.
            case isSent
            /// There is no compositor: the request is granted in this process.
            case isGrantedHere
            case fails
        }

        private(set) var connection = Connection.none
        /// Whether the connection was requested.
        private(set) var isRequested = false
        /// Whether the state of other programs is known.
        var isAcquainted = false
        /// The host time until which reads of that state block; nil before the first read.
        private var acquaintedBy: Int64?
        private(set) var asked: [Question] = []
        private(set) var waiting: [Question] = []
        /// Whether this program was the now playing one when the compositor was lost.
        private(set) var hasHeadStart = false
        /// The number of losses of the compositor.
        private(set) var losses = 0

        /// Requests the connection.
        ///
        /// - Returns: Whether the connection must be opened now.
        mutating func request() -> Bool {
            defer { isRequested = true }
            return !isRequested
        }

        /// Adds a request.
        ///
        /// - Parameter outlastsLoss: Whether the request waits for the next compositor instead of failing without one.
        mutating func submit(_ question: Question, outlastsLoss: Bool) -> Submission {
            switch connection {
            case .none:
                waiting.append(question)
                return request() ? .opens : .waits
            case .open:
                asked.append(question)
                return .isSent
            case .unavailable: return .isGrantedHere
            case .lost:
                guard outlastsLoss else { return .fails }
                waiting.append(question)
                return .waits
            }
        }

        /// Returns the deadline for reads of the state of other programs, which starts with the first read.
        mutating func acquaintanceEnd(now: Int64, patience: Int64) -> Int64 {
            let end = acquaintedBy ?? now + patience
            acquaintedBy = end
            return end
        }

        /// Returns the oldest sent request, which is answered now.
        mutating func takeAsked() -> Question? { asked.isEmpty ? nil : asked.removeFirst() }

        // MARK: The connection

        /// Records that the compositor serves this process.
        ///
        /// - Parameter first: The request that is sent before all others.
        /// - Returns: The waiting requests, which must be sent now, and whether a compositor was there before.
        mutating func open(with first: Question) -> (requests: [AudioRequest], wasLost: Bool) {
            defer { (connection, waiting) = (.open, []) }
            asked += [first] + waiting
            return (waiting.map(\.request), connection != .none)
        }

        /// Records that there is no compositor.
        ///
        /// - Returns: The waiting requests, which are granted in this process, and whether a compositor was lost.
        mutating func becomeAlone() -> (questions: [Question], wasLost: Bool) {
            let result = (asked + waiting, connection == .lost)
            // The head start of the now playing program ends with its compositor.
            (connection, isAcquainted, hasHeadStart, asked, waiting) = (.unavailable, true, false, [], [])
            return result
        }

        /// Records that the compositor refuses this process.
        ///
        /// - Returns: The waiting requests, which fail, and whether requests were granted in this process until now.
        mutating func refuse() -> (questions: [Question], wasAlone: Bool) {
            let result = (asked + waiting, connection == .unavailable)
            if connection == .none { isRequested = false }
            if connection == .unavailable { connection = .lost }
            (isAcquainted, asked, waiting) = (true, [], [])
            return result
        }

        /// Records the loss of the compositor.
        ///
        /// - Parameter isNowPlaying: Whether this program was the now playing one.
        /// - Returns: The sent requests, which fail; nil if the connection was not open.
        mutating func lose(isNowPlaying: Bool) -> [Question]? {
            guard connection == .open else { return nil }
            losses += 1
            if isNowPlaying { hasHeadStart = true }
            defer { (connection, asked) = (.lost, []) }
            return asked
        }

        /// Returns whether this program is notified of a reset before others. True once.
        mutating func takeHeadStart() -> Bool {
            defer { hasHeadStart = false }
            return hasHeadStart
        }
    }
}
