import CompositorProtocol

extension AudioSession {
    /// The state of the connection to the compositor, and the session's unanswered requests. A pure value.
    struct RequestQueue {
        /// The way in which a submitted request is handled.
        enum Submission: Equatable {
            /// The request waits for the connection, which must be opened now.
            case opens
            /// The request waits for the connection to the compositor, which is being opened already.
            case waits
            /// The connection exists: the caller sends the request.
            case isSent
            /// There is no compositor: the request is granted in this process.
            case isGrantedLocally
            /// The compositor was lost, and the request does not wait for the next compositor.
            case fails
        }

        /// The state of the connection to the compositor.
        private(set) var connection = Connection.notEstablished
        /// Whether the connection to the compositor was requested.
        private(set) var isConnectionRequested = false
        /// Whether the state of other programs is known.
        var hasFirstReport = false
        /// The host time until which reads of other programs' state block; nil before the first read.
        private var readDeadline: Int64?
        /// The requests that were sent and are not answered yet, oldest first.
        private(set) var pendingRequests: [PendingRequest] = []
        /// The requests that wait for the connection to be opened.
        private(set) var waiting: [PendingRequest] = []
        /// Whether this program is notified of a reset before others, because it was the now playing program when the
        /// compositor was lost.
        private(set) var hasResetPriority = false
        /// How often the connection to the compositor was lost.
        private(set) var lossCount = 0

        /// Requests the connection to the compositor.
        ///
        /// - Returns: Whether the connection must be opened now.
        mutating func requestConnection() -> Bool {
            defer { isConnectionRequested = true }
            return !isConnectionRequested
        }

        /// Adds a request to the compositor.
        ///
        /// - Parameter survivesDisconnect: Whether the request waits for the next compositor instead of failing without
        ///   one.
        mutating func submit(_ request: PendingRequest, survivesDisconnect: Bool) -> Submission {
            switch connection {
            case .notEstablished:
                waiting.append(request)
                return self.requestConnection() ? .opens : .waits
            case .open:
                pendingRequests.append(request)
                return .isSent
            case .unavailable: return .isGrantedLocally
            case .lost:
                guard survivesDisconnect else { return .fails }
                waiting.append(request)
                return .waits
            }
        }

        /// Returns the deadline for reads of the state of other programs, which starts with the first read.
        mutating func firstReportDeadline(now: Int64, timeout: Int64) -> Int64 {
            let end = readDeadline ?? now + timeout
            readDeadline = end
            return end
        }

        /// Removes and returns the oldest request without an answer; nil if every request was answered. Called when an
        /// answer arrives: answers have the order of the requests.
        mutating func takePendingRequest() -> PendingRequest? {
            pendingRequests.isEmpty ? nil : pendingRequests.removeFirst()
        }

        // MARK: The connection

        /// Records that the compositor serves this process.
        ///
        /// - Parameter first: The request that is sent before all others.
        /// - Returns: The waiting requests, which must be sent now, and whether the compositor was lost or unavailable
        ///   before.
        mutating func open(with first: PendingRequest) -> (requests: [AudioRequest], wasLost: Bool) {
            defer { (connection, waiting) = (.open, []) }
            pendingRequests += [first] + waiting
            return (waiting.map(\.request), connection != .notEstablished)
        }

        /// Records that there is no compositor.
        ///
        /// - Returns: The sent and the waiting requests, which are granted in this process, and whether a compositor
        ///   was lost.
        mutating func compositorBecameUnavailable() -> (requests: [PendingRequest], wasLost: Bool) {
            let result = (pendingRequests + waiting, connection == .lost)
            // Without a compositor, no program is notified of a reset before others.
            (connection, hasFirstReport, hasResetPriority) = (.unavailable, true, false)
            (pendingRequests, waiting) = ([], [])
            return result
        }

        /// Records that the compositor refuses this process.
        ///
        /// - Returns: The sent and the waiting requests, which fail, and whether requests were granted in this process
        ///   until now.
        mutating func compositorRefused() -> (requests: [PendingRequest], wasLocal: Bool) {
            let result = (pendingRequests + waiting, connection == .unavailable)
            if connection == .notEstablished { isConnectionRequested = false }
            if connection == .unavailable { connection = .lost }
            (hasFirstReport, pendingRequests, waiting) = (true, [], [])
            return result
        }

        /// Records the loss of the compositor.
        ///
        /// - Parameter isNowPlaying: Whether this program was the now playing program.
        /// - Returns: The sent requests, which fail; nil if the connection was not open.
        mutating func connectionLost(isNowPlaying: Bool) -> [PendingRequest]? {
            guard connection == .open else { return nil }
            lossCount += 1
            if isNowPlaying { hasResetPriority = true }
            defer { (connection, pendingRequests) = (.lost, []) }
            return pendingRequests
        }

        /// Returns whether this program is notified of a reset before others. Later calls return false.
        mutating func takeResetPriority() -> Bool {
            defer { hasResetPriority = false }
            return hasResetPriority
        }
    }
}
