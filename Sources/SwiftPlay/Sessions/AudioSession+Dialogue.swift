import CompositorProtocol

extension AudioSession {
    /// The connection to the compositor, and the questions on their way. A pure value.
    struct Dialogue {
        /// What becomes of a question.
        enum Submission: Equatable {
            /// It waits for the connection, which has to be opened now.
            case opens
            /// It waits for the connection.
            case waits
            /// It is to be sent.
            case isSent
            /// There is no compositor: it is granted in this process.
            case isGrantedHere
            case fails
        }

        private(set) var connection = Connection.none
        /// The connection was requested.
        private(set) var isRequested = false
        /// It is known which other programs there are.
        var isAcquainted = false
        /// Host time until which questions about other programs wait for that; nil before the first question.
        private var acquaintedBy: Int64?
        private(set) var asked: [Question] = []
        private(set) var waiting: [Question] = []
        /// This program was what the user listened to when the compositor was lost.
        private(set) var hasHeadStart = false
        /// Counts losses of the compositor.
        private(set) var losses = 0

        /// - Returns: whether the connection has to be opened now.
        mutating func request() -> Bool {
            defer { isRequested = true }
            return !isRequested
        }

        /// - Parameter outlastsLoss: the question waits for the next compositor, rather than fail without one.
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

        /// The end of the time that questions about others may wait, which begins with the first of them.
        mutating func acquaintanceEnd(now: Int64, patience: Int64) -> Int64 {
            let end = acquaintedBy ?? now + patience
            acquaintedBy = end
            return end
        }

        /// Returns the oldest question that was sent: it is answered now.
        mutating func takeAsked() -> Question? { asked.isEmpty ? nil : asked.removeFirst() }

        // MARK: the connection

        /// Notes that the compositor serves this process.
        ///
        /// - Parameter first: the question that is sent before all others.
        /// - Returns: the requests that waited and are to be sent now; and whether the compositor was there before.
        mutating func open(with first: Question) -> (requests: [AudioRequest], wasLost: Bool) {
            defer { (connection, waiting) = (.open, []) }
            asked += [first] + waiting
            return (waiting.map(\.request), connection != .none)
        }

        /// Notes that there is no compositor.
        ///
        /// - Returns: the questions, which are granted here; and whether a compositor was lost.
        mutating func becomeAlone() -> (questions: [Question], wasLost: Bool) {
            let result = (asked + waiting, connection == .lost)
            // A head start was given by a compositor that is gone for good.
            (connection, isAcquainted, hasHeadStart, asked, waiting) = (.unavailable, true, false, [], [])
            return result
        }

        /// Notes that there is a compositor, and that it does not serve this process.
        ///
        /// - Returns: the questions, which fail; and whether all was granted here until now.
        mutating func refuse() -> (questions: [Question], wasAlone: Bool) {
            let result = (asked + waiting, connection == .unavailable)
            if connection == .none { isRequested = false }
            if connection == .unavailable { connection = .lost }
            (isAcquainted, asked, waiting) = (true, [], [])
            return result
        }

        /// Notes that the compositor is gone.
        ///
        /// - Parameter isNowPlaying: whether the user listened to this program.
        /// - Returns: the questions that were sent, which fail; nil: the connection was not open.
        mutating func lose(isNowPlaying: Bool) -> [Question]? {
            guard connection == .open else { return nil }
            losses += 1
            if isNowPlaying { hasHeadStart = true }
            defer { (connection, asked) = (.lost, []) }
            return asked
        }

        /// Returns whether this program is notified of a reset before others; counts once.
        mutating func takeHeadStart() -> Bool {
            defer { hasHeadStart = false }
            return hasHeadStart
        }
    }
}
