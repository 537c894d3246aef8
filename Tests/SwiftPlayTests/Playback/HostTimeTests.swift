import Testing

@testable import SwiftPlay

@Suite struct HostTimeTests {
    @Test("The earlier of two deadlines counts, in either order")
    func earlierOfTwoDeadlinesIsReturned() {
        #expect(HostTime.earlier(3, 5) == 3 && HostTime.earlier(5, 3) == 3)
        #expect(HostTime.earlier(.min, .max) == .min && HostTime.earlier(-1, 0) == -1)
    }

    @Test("A missing deadline is later than any other")
    func missingDeadlineIsLaterThanAnyOther() {
        #expect(HostTime.earlier(nil, .max) == .max && HostTime.earlier(.max, nil) == .max)
        #expect(HostTime.earlier(nil, nil) == nil)
    }
}
