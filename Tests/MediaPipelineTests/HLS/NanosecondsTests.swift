import Testing

@testable import MediaPipeline

@Suite struct NanosecondsTests {
    @Test("Seconds are converted to nanoseconds and back") func secondsAreConvertedToNanosecondsAndBack() {
        #expect(Int64(nanosecondsOf: 1.5) == 1_500_000_000)
        #expect(Int64(-2_500_000_000).inSeconds == -2.5)
    }

    @Test("Seconds that exceed 64 bits of nanoseconds are clamped")
    func secondsThatDoNotFitAreClamped() {
        #expect(Int64(nanosecondsOf: .nan) == 0)
        #expect(Int64(nanosecondsOf: 1e30) == .max && Int64(nanosecondsOf: .infinity) == .max)
        #expect(Int64(nanosecondsOf: -1e30) == .min && Int64(nanosecondsOf: -.infinity) == .min)
    }

    @Test("Sums and differences are clamped to the type's range") func sumsAndDifferencesAreClamped() {
        #expect(Int64.max.clampedSum(1) == .max && Int64.min.clampedSum(-1) == .min && Int64(2).clampedSum(3) == 5)
        #expect(Int64.min.clampedDifference(1) == .min && Int64.max.clampedDifference(-1) == .max)
        #expect(Int64(2).clampedDifference(3) == -1 && Int64(0).clampedDifference(.min) == .max)
    }
}
