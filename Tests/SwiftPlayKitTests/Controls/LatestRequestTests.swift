import Testing

@testable import SwiftPlayKit

@Suite struct LatestRequestTests {
    @Test func theNewestWaitingValueRunsNext() {
        var requests = LatestRequest<Int>()
        #expect(requests.request(1) == 1)
        for value in 2...9 { #expect(requests.request(value) == nil) }
        #expect(requests.finish() == 9)
        #expect(requests.finish() == nil && requests.runningValue == nil)
        #expect(requests.request(3) == 3)
    }

    @Test func aRequestForTheRunningValueDiscardsTheWaitingValue() {
        var requests = LatestRequest<Int>()
        _ = requests.request(1)
        _ = requests.request(2)
        #expect(requests.request(1) == nil)
        #expect(requests.finish() == nil)
    }

    @Test func discardingTheWaitingValueKeepsTheRunningValue() {
        var requests = LatestRequest<Int>()
        _ = requests.request(1)
        _ = requests.request(2)
        requests.discardWaitingValue()
        #expect(requests.runningValue == 1 && requests.finish() == nil)
    }
}
