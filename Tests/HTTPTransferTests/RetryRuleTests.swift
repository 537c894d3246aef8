import Testing

@testable import HTTPTransfer

@Suite struct RetryRuleTests {
    private static let second: Int64 = 1_000_000_000
    private static let busyError = HTTPError.status(503, "a"), incompleteError = HTTPError(.incomplete, "a", "cut")

    @Test func requestToABusyServerIsRepeatedFourTimes() {
        var rule = RetryRule()
        let delays = (0..<5).map { _ in rule.delay(after: Self.busyError, hasStarted: false, retryAfter: nil) }
        #expect(delays == [0, Self.second, 3 * Self.second, 7 * Self.second, nil])
    }

    @Test func arrivalOfDataResetsTheDelays() {
        var rule = RetryRule()
        for _ in 0..<20 {
            #expect(rule.delay(after: Self.incompleteError, hasStarted: true, retryAfter: nil) == 0)
            rule.recordArrival()
        }
    }

    @Test func serverDelayIsLimitedToThirtySeconds() {
        var rule = RetryRule()
        #expect(rule.delay(after: Self.busyError, hasStarted: false, retryAfter: 30 * Self.second) == 30 * Self.second)
        #expect(rule.delay(after: Self.busyError, hasStarted: false, retryAfter: 0) == Self.second)
        #expect(rule.delay(after: Self.busyError, hasStarted: false, retryAfter: 31 * Self.second) == nil)
    }

    @Test(
        "a request that fails without a network is repeated only if a part of the resource has arrived",
        arguments: [HTTPError.Code.unreachable, .timeout, .unknownHost])
    func missingNetworkIsRetriedAfterTheStart(code: HTTPError.Code) {
        var ruleBeforeStart = RetryRule(), ruleAfterStart = RetryRule()
        let error = HTTPError(code, "a", "gone")
        #expect(ruleBeforeStart.delay(after: error, hasStarted: false, retryAfter: nil) == nil)
        #expect(ruleAfterStart.delay(after: error, hasStarted: true, retryAfter: nil) == 0)
    }

    @Test(
        "a request with a permanent error is not repeated",
        arguments: [HTTPError.Code.status(404), .untrusted, .refusedRedirect, .notResumable, .cancelled])
    func permanentErrorIsNotRetried(code: HTTPError.Code) {
        var rule = RetryRule()
        #expect(rule.delay(after: HTTPError(code, "a", "no"), hasStarted: true, retryAfter: nil) == nil)
    }

    @Test func aSegmentIsRequestedAtMostThreeTimes() {
        var rule = RetryRule.segment
        let delays = (0..<3).map { _ in rule.delay(after: Self.incompleteError, hasStarted: false, retryAfter: nil) }
        #expect(delays == [Self.second / 2, Self.second, nil] && rule.failureCount == 3)
    }

    @Test func aPermanentErrorCountsAsAFailure() {
        var rule = RetryRule()
        #expect(rule.delay(after: .status(404, "a"), hasStarted: false, retryAfter: nil) == nil)
        #expect(rule.failureCount == 1)
        #expect(rule.delay(after: Self.busyError, hasStarted: false, retryAfter: nil) == Self.second)
        rule.recordArrival()
        #expect(rule.failureCount == 0)
    }
}
