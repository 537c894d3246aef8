import Testing

@testable import SwiftPlayKit

@Suite struct LatestRequestTests {
    @Test func theNewestPendingValueRunsNext() {
        var work = LatestRequest<Int>()
        #expect(work.request(1) == 1)
        for value in 2...9 { #expect(work.request(value) == nil) }
        #expect(work.finish() == 9)
        #expect(work.finish() == nil && work.runningValue == nil)
        #expect(work.request(3) == 3)
    }

    @Test func aRequestForTheRunningValueDropsThePendingValue() {
        var work = LatestRequest<Int>()
        _ = work.request(1)
        _ = work.request(2)
        #expect(work.request(1) == nil)
        #expect(work.finish() == nil)
    }

    @Test func cancelPendingDropsThePendingValue() {
        var work = LatestRequest<Int>()
        _ = work.request(1)
        _ = work.request(2)
        work.cancelPending()
        #expect(work.runningValue == 1 && work.finish() == nil)
    }
}
