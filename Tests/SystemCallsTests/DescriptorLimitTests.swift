import Testing

@testable import SystemCalls

@Suite struct DescriptorLimitTests {
    @Test func theLimitIsOnlyRaised() throws {
        let initialLimit = try #require(DescriptorLimit.current)
        try DescriptorLimit.raise(to: 1)
        #expect(try #require(DescriptorLimit.current) == initialLimit)
        // The hard limit may be the soft limit.
        try DescriptorLimit.raise(to: initialLimit + 1)
        let raisedLimit = try #require(DescriptorLimit.current)
        #expect(raisedLimit == initialLimit || raisedLimit == initialLimit + 1)
    }
}
