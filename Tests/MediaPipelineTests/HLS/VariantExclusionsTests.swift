import Testing

@testable import MediaPipeline

@Suite struct VariantExclusionsTests {
    /// Converts a host time from seconds to nanoseconds.
    private func hostTime(_ seconds: Double) -> Int64 { Int64(nanosecondsOf: seconds) }
    private let firstVariant = VariantCandidate(index: 1, bandwidth: 1, host: "one.example")
    private let secondVariant = VariantCandidate(index: 2, bandwidth: 2, host: "two.example")

    @Test("A failed variant is excluded for 60 s") func failedVariantIsExcludedFor60Seconds() {
        var exclusions = VariantExclusions()
        exclusions.excludeVariant(1, at: hostTime(10))
        #expect(exclusions.end(of: firstVariant, at: hostTime(69.9)) == hostTime(70))
        #expect(exclusions.end(of: firstVariant, at: hostTime(70)) == nil)
        #expect(exclusions.end(of: secondVariant, at: hostTime(11)) == nil)
    }

    @Test("A failed host is excluded for five minutes") func failedHostIsExcludedForFiveMinutes() {
        var exclusions = VariantExclusions()
        exclusions.excludeHost("two.example", at: hostTime(10))
        #expect(exclusions.end(of: secondVariant, at: hostTime(309.9)) == hostTime(310))
        #expect(exclusions.end(of: secondVariant, at: hostTime(310)) == nil)
        #expect(exclusions.end(of: firstVariant, at: hostTime(11)) == nil)
    }

    @Test("Of two exclusions, the later end applies") func laterEndOfTwoExclusionsApplies() {
        var exclusions = VariantExclusions()
        exclusions.excludeHost("one.example", at: 0)
        exclusions.excludeVariant(1, at: hostTime(290))
        #expect(exclusions.end(of: firstVariant, at: hostTime(295)) == hostTime(350))
    }

    @Test("Another failure restarts the exclusion") func anotherFailureRestartsTheExclusion() {
        var exclusions = VariantExclusions()
        exclusions.excludeVariant(1, at: 0)
        exclusions.excludeVariant(1, at: hostTime(30))
        #expect(exclusions.end(of: firstVariant, at: hostTime(89)) == hostTime(90))
    }

    @Test("An exclusion at the largest host time does not trap") func exclusionAtTheLargestHostTimeDoesNotTrap() {
        var exclusions = VariantExclusions()
        exclusions.excludeVariant(1, at: .max - 1)
        #expect(exclusions.end(of: firstVariant, at: .max - 1) == .max)
    }
}
