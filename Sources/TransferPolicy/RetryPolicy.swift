/// The time of the next attempt of one transfer.
///
/// The delay is random between 0 and a limit that doubles with each attempt without progress ("full jitter"), so that
/// transfers do not return to a server at the same moment.
package struct RetryPolicy: Hashable, Sendable {
    /// The decision after a failed attempt.
    package enum Decision: Hashable, Sendable {
        /// The transfer tries again at this boot time.
        case retry(at: Duration)
        /// The transfer fails, because the server only sends replies that are not valid.
        case fail
    }

    /// The kind of a failed attempt.
    package enum Fault: Hashable, Sendable {
        /// The network failed, or the server was too slow.
        case network
        /// The server reported a temporary fault such as 503. The value is its `Retry-After`, or nil.
        case unavailable(retryAfter: Duration?)
        /// The server sent a reply that is not valid.
        case garbage
    }

    /// The bytes of progress that end a series of failures.
    package static let progressBytes: Int64 = 64 * 1024
    /// The replies that are not valid, in a row, after which a transfer fails.
    package static let garbageLimit = 5
    /// The permitted range of a server's `Retry-After`.
    package static let retryAfterRange = Duration.seconds(1)...Duration.seconds(24 * 3600)
    /// The shortest time between two attempts that a change of the network causes.
    package static let networkChangeInterval = Duration.seconds(10)

    /// The failed attempts since the last progress.
    package private(set) var failureCount = 0
    /// The replies that are not valid since the last progress.
    package private(set) var garbageCount = 0
    /// The received bytes since the last failure.
    package private(set) var receivedBytes: Int64 = 0
    /// The greatest length of the content that an attempt has reached.
    package private(set) var furthestLength: Int64 = 0
    /// The boot time of the last attempt that a change of the network caused.
    package private(set) var lastNetworkAttempt: Duration?

    package init() {}

    /// Creates the policy of a stored transfer.
    package init(failureCount: Int, garbageCount: Int) {
        self.failureCount = max(0, failureCount)
        self.garbageCount = max(0, garbageCount)
    }

    /// Returns the longest delay after a number of failures: 1 s, 2 s, ... 5 min; for a discretionary transfer 30 s,
    /// 60 s, ... 1 h.
    package static func delayLimit(failureCount: Int, isDiscretionary: Bool) -> Duration {
        let base = isDiscretionary ? 30 : 1
        let cap = isDiscretionary ? 3600 : 300
        let doublings = min(max(failureCount - 1, 0), 20)
        return .seconds(min(cap, base << doublings))
    }

    /// Records a failed attempt and returns the decision.
    /// - Parameters:
    ///   - random: a random number of 0..<1.
    ///   - now: the current boot time.
    package mutating func handle(_ fault: Fault, isDiscretionary: Bool, random: Double, now: Duration) -> Decision {
        failureCount = min(failureCount + 1, 1 << 20)
        receivedBytes = 0
        if case .garbage = fault {
            garbageCount += 1
            if garbageCount >= Self.garbageLimit { return .fail }
        } else {
            garbageCount = 0
        }
        let limit = Self.delayLimit(failureCount: failureCount, isDiscretionary: isDiscretionary)
        let delay = limit * min(max(random, 0), 1)
        guard case .unavailable(.some(let retryAfter)) = fault else { return .retry(at: now + delay) }
        return .retry(at: now + Self.clampedRetryAfter(retryAfter))
    }

    /// Records that the content has grown in an attempt. Bytes that an earlier attempt has received as well are no
    /// progress: a content that cannot be continued and is cut each time would otherwise be requested again without a
    /// delay.
    package mutating func handleProgress(from start: Int64, to length: Int64) {
        let knownLength = max(start, furthestLength)
        guard length > knownLength else { return }
        furthestLength = length
        handleProgress(bytes: length - knownLength)
    }

    /// Records received bytes. Enough progress ends a series of failures.
    package mutating func handleProgress(bytes: Int64) {
        receivedBytes = receivedBytes.addingReportingOverflow(max(0, bytes)).partialValue
        guard receivedBytes >= Self.progressBytes || receivedBytes < 0 else { return }
        receivedBytes = 0
        failureCount = 0
        garbageCount = 0
    }

    /// Returns whether the transfer tries again at once because the network changed. Records the attempt.
    package mutating func handleNetworkChange(now: Duration) -> Bool {
        if let lastNetworkAttempt, now - lastNetworkAttempt < Self.networkChangeInterval { return false }
        lastNetworkAttempt = now
        return true
    }

    /// Returns a server's `Retry-After` within the permitted range.
    package static func clampedRetryAfter(_ delay: Duration) -> Duration {
        min(max(delay, retryAfterRange.lowerBound), retryAfterRange.upperBound)
    }
}
