import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct EligibleVariantsTests {
    /// Returns the variants of an HLS stream that the exclusions, the limits and the destination of the video permit.
    private func eligible(
        _ variants: [VariantCandidate] = ChooserFixtures.ladder, _ destination: VideoDestination = .unknown,
        exclusions: VariantExclusions = .init(), at now: Int64 = 0,
        limits change: (inout VariantLimits) -> Void = { _ in }
    ) -> EligibleVariants {
        var limits = VariantLimits()
        change(&limits)
        return EligibleVariants(variants, exclusions, limits, destination, SizeRule(), at: now)
    }

    /// Returns the indices of the eligible variants.
    private func indices(_ eligible: EligibleVariants) -> [Int] { eligible.variants.map(\.index) }

    @Test("Without limits all variants are eligible") func withoutLimitsAllVariantsAreEligible() {
        let all = eligible()
        #expect(indices(all) == [0, 1, 2, 3, 4] && all.restriction == nil)
    }

    @Test("preferredPeakBitRate compares with BANDWIDTH; 0 means no limit")
    func preferredPeakBitRateLimitsTheBandwidth() {
        let limited = eligible { $0.preferredPeakBitRate = 2_800_000 }
        #expect(indices(limited) == [0, 1, 2, 3] && limited.restriction == .peakBitRate(2_800_000))
        #expect(indices(eligible { $0.preferredPeakBitRate = 0 }).count == 5)
    }

    @Test("preferredMaximumResolution limits both sides; an empty size means no limit")
    func preferredMaximumResolutionLimitsBothSides() {
        let size = PixelSize(width: 1280, height: 720)
        let limited = eligible { $0.preferredMaximumResolution = size }
        #expect(indices(limited) == [0, 1, 2, 3] && limited.restriction == .resolution(size))
        #expect(indices(eligible { $0.preferredMaximumResolution = PixelSize(width: 1279, height: 720) }).last == 2)
        #expect(indices(eligible { $0.preferredMaximumResolution = PixelSize(width: 0, height: 720) }).count == 5)
    }

    @Test("preferredMaximumResolution excludes no variant without a resolution")
    func variantWithoutAResolutionStaysEligible() {
        let unknown = [VariantCandidate(index: 0, bandwidth: 1), VariantCandidate(index: 1, bandwidth: 2)]
        #expect(
            indices(eligible(unknown) { $0.preferredMaximumResolution = PixelSize(width: 1, height: 1) }) == [0, 1])
    }

    @Test("The buffer's bytes limit the bit rate, not the buffered time") func bufferSizeInBytesLimitsTheBitRate() {
        // A buffer of 8 MB that holds 30 s of media allows 2.13 Mb/s.
        let limited = eligible { $0.bufferBytes = 8_000_000 }
        #expect(indices(limited) == [0, 1, 2] && limited.restriction == .memory(8_000_000))
        #expect(indices(eligible { $0.bufferBytes = -1 }) == [0])
    }

    @Test("Variants that cannot be decoded are not eligible") func undecodableVariantsAreNotEligible() {
        let best = VariantCandidate(index: 9, bandwidth: 9_000_000, isDecodable: false)
        let result = eligible(ChooserFixtures.ladder + [best])
        #expect(indices(result) == [0, 1, 2, 3, 4] && result.restriction == .undecodable)
    }

    @Test("Excluded variants return when their time is over") func excludedVariantReturnsWhenItsTimeIsOver() {
        var exclusions = VariantExclusions()
        exclusions.excludeVariant(4, at: 0)
        let during = eligible(exclusions: exclusions, at: 1)
        #expect(indices(during) == [0, 1, 2, 3] && during.restriction == .failure)
        #expect(indices(eligible(exclusions: exclusions, at: Int64(nanosecondsOf: 60))).count == 5)
    }

    @Test("SDR is preferred unless the output shows HDR") func sdrIsPreferredUnlessTheOutputShowsHDR() {
        let mixed = [
            VariantCandidate(index: 0, bandwidth: 1_000_000),
            VariantCandidate(index: 1, bandwidth: 2_000_000, videoRange: .pq),
            VariantCandidate(index: 2, bandwidth: 3_000_000, videoRange: .hlg),
        ]
        #expect(indices(eligible(mixed)) == [0] && eligible(mixed).restriction == .videoRange)
        #expect(indices(eligible(mixed) { $0.showsHDR = true }) == [0, 1, 2])
        #expect(indices(eligible(Array(mixed.dropFirst()))) == [1, 2])
    }

    @Test("The view limits the size") func viewLimitsThePictureSize() {
        let limited = eligible(ChooserFixtures.ladder, .view(ChooserFixtures.view(400, 225)))
        #expect(indices(limited) == [0, 1] && limited.restriction == .view(PixelSize(width: 400, height: 225)))
    }

    @Test("Audio only takes an audio-only variant, or else the lowest one")
    func audioOnlyChoosesAnAudioOnlyOrTheLowestVariant() {
        let audio = VariantCandidate(index: 7, bandwidth: 64_000, hasVideo: false)
        #expect(indices(eligible([audio] + ChooserFixtures.ladder, .audioOnly)) == [7])
        let lowest = eligible(ChooserFixtures.ladder, .audioOnly)
        #expect(indices(lowest) == [0] && lowest.restriction == .audioOnly)
    }

    @Test("If a limit excludes all variants, the lowest one stays") func lowestVariantStaysIfALimitExcludesAll() {
        #expect(indices(eligible { $0.preferredPeakBitRate = 1 }) == [0])
        #expect(indices(eligible { $0.preferredMaximumResolution = PixelSize(width: 1, height: 1) }) == [0])
        let undecodable = (1...3).map { VariantCandidate(index: $0, bandwidth: Int64($0), isDecodable: false) }
        #expect(indices(eligible(undecodable)) == [1])
        var exclusions = VariantExclusions()
        for index in 0..<5 { exclusions.excludeVariant(index, at: 0) }
        #expect(indices(eligible(exclusions: exclusions, at: 1)) == [0])
    }
}
