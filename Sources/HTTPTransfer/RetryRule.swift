/// The rule that determines when a failed request is repeated. A pure value.
package struct RetryRule: Sendable, Equatable {
    /// The delays in nanoseconds before each repetition of a failed request.
    package var delays: [Int64] = [0, 1_000_000_000, 3_000_000_000, 7_000_000_000]
    /// The longest delay, in nanoseconds, that a server may request.
    package var longestServerDelay: Int64 = 30_000_000_000
    /// The number of requests that have failed since data last arrived.
    package private(set) var failureCount = 0

    package init() {}

    /// The rule for segments and playlists: at most three requests, because another variant can replace them.
    package static let segment: RetryRule = {
        var rule = RetryRule()
        rule.delays = [500_000_000, 1_000_000_000]
        return rule
    }()

    /// Records that data has arrived, which resets the number of failures.
    package mutating func recordArrival() { failureCount = 0 }

    /// Returns the delay in nanoseconds before the request is repeated; nil if it is not repeated.
    ///
    /// - Parameters:
    ///   - error: The error of the request.
    ///   - hasStarted: Whether a part of the resource has ever arrived.
    ///   - retryAfter: The delay that the server requested, in nanoseconds; nil if it requested none.
    package mutating func delay(after error: HTTPError, hasStarted: Bool, retryAfter: Int64?) -> Int64? {
        failureCount += 1
        let isTemporary = hasStarted ? error.isTemporaryWhenResuming : error.isTemporary
        guard isTemporary, failureCount <= delays.count else { return nil }
        guard let retryAfter else { return delays[failureCount - 1] }
        return retryAfter <= longestServerDelay ? max(retryAfter, delays[failureCount - 1]) : nil
    }
}
