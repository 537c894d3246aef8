import CompositorProtocol

extension AudioSession {
    /// The state of the connection to the compositor, and the session's unanswered requests. A pure value.
    struct RequestQueue {
        /// The way in which a submitted request is handled.
        enum Submission: Equatable {
            /// The request waits for the connection, which must be opened now.
            case waitsAndOpensConnection
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
        /// Whether the compositor has reported the state of other programs, or no compositor serves this process.
        var hasFirstReport = false
        /// The host time until which reads of other programs' state block; nil before the first read.
        private var readDeadline: Int64?
        /// The requests that were sent and are not answered yet, oldest first.
        private(set) var pendingRequests: [PendingRequest] = []
        /// The requests that wait for the connection to be opened.
        private(set) var waitingRequests: [PendingRequest] = []
        /// Whether this program is notified of a reset before other programs, because it was the now playing program
        /// when the compositor was lost.
        private(set) var hasResetPriority = false
        /// The number of times that the connection to the compositor was lost.
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
                waitingRequests.append(request)
                return self.requestConnection() ? .waitsAndOpensConnection : .waits
            case .open:
                pendingRequests.append(request)
                return .isSent
            case .unavailable: return .isGrantedLocally
            case .lost:
                guard survivesDisconnect else { return .fails }
                waitingRequests.append(request)
                return .waits
            }
        }

        /// Returns the host time until which reads of other programs' state may block: the first read plus `timeout`.
        mutating func firstReportDeadline(now: Int64, timeout: Int64) -> Int64 {
            let deadline = readDeadline ?? now + timeout
            readDeadline = deadline
            return deadline
        }

        /// Removes and returns the oldest request without an answer; nil if every request was answered. Call it when an
        /// answer arrives: answers arrive in the order of the requests.
        mutating func takePendingRequest() -> PendingRequest? {
            pendingRequests.isEmpty ? nil : pendingRequests.removeFirst()
        }

        // MARK: The connection

        /// Records that the compositor serves this process.
        ///
        /// - Parameter firstRequest: The request that is sent before all others.
        /// - Returns: The waiting requests, which must be sent now, and whether the compositor was lost or
        ///   unavailable before.
        mutating func open(with firstRequest: PendingRequest) -> (
            requests: [AudioRequest], wasCompositorUnavailable: Bool
        ) {
            defer { (connection, waitingRequests) = (.open, []) }
            pendingRequests += [firstRequest] + waitingRequests
            return (waitingRequests.map(\.request), connection != .notEstablished)
        }

        /// Records that there is no compositor.
        ///
        /// - Returns: The sent and the waiting requests, which are granted in this process, and whether a
        ///   compositor was lost.
        mutating func recordUnavailableCompositor() -> (requests: [PendingRequest], wasLost: Bool) {
            let result = (pendingRequests + waitingRequests, connection == .lost)
            // Without a compositor, no program is notified of a reset before other programs.
            (connection, hasFirstReport, hasResetPriority) = (.unavailable, true, false)
            (pendingRequests, waitingRequests) = ([], [])
            return result
        }

        /// Records that the compositor refuses this process.
        ///
        /// - Returns: The sent and the waiting requests, which fail, and whether requests were granted in this
        ///   process until now.
        mutating func recordRefusal() -> (requests: [PendingRequest], wereGrantedLocally: Bool) {
            let result = (pendingRequests + waitingRequests, connection == .unavailable)
            if connection == .notEstablished { isConnectionRequested = false }
            if connection == .unavailable { connection = .lost }
            (hasFirstReport, pendingRequests, waitingRequests) = (true, [], [])
            return result
        }

        /// Records the loss of the connection to the compositor.
        ///
        /// - Parameter isNowPlaying: Whether this program was the now playing program.
        /// - Returns: The sent requests, which fail; nil if the connection was not open.
        mutating func recordConnectionLoss(isNowPlaying: Bool) -> [PendingRequest]? {
            guard connection == .open else { return nil }
            lossCount += 1
            if isNowPlaying { hasResetPriority = true }
            defer { (connection, pendingRequests) = (.lost, []) }
            return pendingRequests
        }

        /// Returns whether this program is notified of a reset before other programs. Later calls return false.
        mutating func takeResetPriority() -> Bool {
            defer { hasResetPriority = false }
            return hasResetPriority
        }
    }
}
