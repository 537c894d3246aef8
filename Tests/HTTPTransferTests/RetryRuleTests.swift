import Testing

@testable import HTTPTransfer

@Suite struct RetryRuleTests {
    private static let second: Int64 = 1_000_000_000
    private static let busy = HTTPError.status(503, "a"), cut = HTTPError(.incomplete, "a", "cut")

    @Test func aBusyServerIsAskedFourMoreTimes() {
        var rule = RetryRule()
        let delays = (0..<5).map { _ in rule.delay(after: Self.busy, hasStarted: false, retryAfter: nil) }
        #expect(delays == [0, Self.second, 3 * Self.second, 7 * Self.second, nil])
    }

    @Test func newDataRestartsTheDelays() {
        var rule = RetryRule()
        for _ in 0..<20 {
            #expect(rule.delay(after: Self.cut, hasStarted: true, retryAfter: nil) == 0)
            rule.dataArrived()
        }
    }

    @Test func theServersDelayCountsUpToThirtySeconds() {
        var rule = RetryRule()
        #expect(rule.delay(after: Self.busy, hasStarted: false, retryAfter: 30 * Self.second) == 30 * Self.second)
        #expect(rule.delay(after: Self.busy, hasStarted: false, retryAfter: 0) == Self.second)
        #expect(rule.delay(after: Self.busy, hasStarted: false, retryAfter: 31 * Self.second) == nil)
    }

    @Test(
        "a missing network is waited for only after playback has started",
        arguments: [HTTPError.Code.unreachable, .timeout, .unknownHost])
    func aMissingNetworkIsWaitedForLater(code: HTTPError.Code) {
        var first = RetryRule(), later = RetryRule()
        let error = HTTPError(code, "a", "gone")
        #expect(first.delay(after: error, hasStarted: false, retryAfter: nil) == nil)
        #expect(later.delay(after: error, hasStarted: true, retryAfter: nil) == 0)
    }

    @Test(
        "a lasting error is not repeated",
        arguments: [HTTPError.Code.status(404), .untrusted, .refusedRedirect, .notResumable, .cancelled])
    func aLastingErrorIsNotRepeated(code: HTTPError.Code) {
        var rule = RetryRule()
        #expect(rule.delay(after: HTTPError(code, "a", "no"), hasStarted: true, retryAfter: nil) == nil)
    }
}
