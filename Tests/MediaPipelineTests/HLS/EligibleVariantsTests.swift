import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct EligibleVariantsTests {
    /// Returns the variants of an HLS stream that the exclusions, the limits and the destination of the video permit.
    private func eligibleVariants(
        _ variants: [VariantCandidate] = ChooserFixtures.ladder, _ destination: VideoDestination = .unknown,
        exclusions: VariantExclusions = .init(), at now: Int64 = 0,
        limits configure: (inout VariantLimits) -> Void = { _ in }
    ) -> EligibleVariants {
        var limits = VariantLimits()
        configure(&limits)
        return EligibleVariants(variants, exclusions, limits, destination, SizeRule(), at: now)
    }

    /// Returns the indices of the eligible variants.
    private func indices(_ eligibleVariants: EligibleVariants) -> [Int] { eligibleVariants.variants.map(\.index) }

    @Test("Without limits all variants are eligible") func withoutLimitsAllVariantsAreEligible() {
        let result = eligibleVariants()
        #expect(indices(result) == [0, 1, 2, 3, 4] && result.restriction == nil)
    }

    @Test("preferredPeakBitRate limits the attribute BANDWIDTH; 0 means no limit")
    func preferredPeakBitRateLimitsTheBandwidth() {
        let result = eligibleVariants { $0.preferredPeakBitRate = 2_800_000 }
        #expect(indices(result) == [0, 1, 2, 3] && result.restriction == .peakBitRate(2_800_000))
        #expect(indices(eligibleVariants { $0.preferredPeakBitRate = 0 }).count == 5)
    }

    @Test("preferredMaximumResolution limits width and height; an empty size means no limit")
    func preferredMaximumResolutionLimitsWidthAndHeight() {
        let size = PixelSize(width: 1280, height: 720)
        let result = eligibleVariants { $0.preferredMaximumResolution = size }
        #expect(indices(result) == [0, 1, 2, 3] && result.restriction == .resolution(size))
        #expect(
            indices(eligibleVariants { $0.preferredMaximumResolution = PixelSize(width: 1279, height: 720) }).last == 2)
        #expect(
            indices(eligibleVariants { $0.preferredMaximumResolution = PixelSize(width: 0, height: 720) }).count == 5)
    }

    @Test("preferredMaximumResolution does not exclude variants without a resolution")
    func variantWithoutAResolutionStaysEligible() {
        let variantsWithoutSize = [VariantCandidate(index: 0, bandwidth: 1), VariantCandidate(index: 1, bandwidth: 2)]
        let result = eligibleVariants(variantsWithoutSize) {
            $0.preferredMaximumResolution = PixelSize(width: 1, height: 1)
        }
        #expect(indices(result) == [0, 1])
    }

    @Test("The size of the buffer in bytes limits the bit rate") func bufferSizeInBytesLimitsTheBitRate() {
        // A buffer of 8 MB that holds 30 s of media allows 2.13 Mb/s.
        let result = eligibleVariants { $0.bufferBytes = 8_000_000 }
        #expect(indices(result) == [0, 1, 2] && result.restriction == .memory(8_000_000))
        #expect(indices(eligibleVariants { $0.bufferBytes = -1 }) == [0])
    }

    @Test("Variants that cannot be decoded are not eligible") func undecodableVariantsAreNotEligible() {
        let undecodableVariant = VariantCandidate(index: 9, bandwidth: 9_000_000, isDecodable: false)
        let result = eligibleVariants(ChooserFixtures.ladder + [undecodableVariant])
        #expect(indices(result) == [0, 1, 2, 3, 4] && result.restriction == .undecodable)
    }

    @Test("Excluded variants are eligible again after the exclusion has ended")
    func excludedVariantIsEligibleAfterTheExclusion() {
        var exclusions = VariantExclusions()
        exclusions.excludeVariant(4, at: 0)
        let result = eligibleVariants(exclusions: exclusions, at: 1)
        #expect(indices(result) == [0, 1, 2, 3] && result.restriction == .failure)
        #expect(indices(eligibleVariants(exclusions: exclusions, at: Int64(nanosecondsOf: 60))).count == 5)
    }

    @Test("SDR is preferred unless the output shows HDR") func sdrIsPreferredUnlessTheOutputShowsHDR() {
        let sdrAndHDRVariants = [
            VariantCandidate(index: 0, bandwidth: 1_000_000),
            VariantCandidate(index: 1, bandwidth: 2_000_000, videoRange: .pq),
            VariantCandidate(index: 2, bandwidth: 3_000_000, videoRange: .hlg),
        ]
        let result = eligibleVariants(sdrAndHDRVariants)
        #expect(indices(result) == [0] && result.restriction == .videoRange)
        #expect(indices(eligibleVariants(sdrAndHDRVariants) { $0.showsHDR = true }) == [0, 1, 2])
        #expect(indices(eligibleVariants(Array(sdrAndHDRVariants.dropFirst()))) == [1, 2])
    }

    @Test("The size of the view limits the size of the picture") func viewLimitsThePictureSize() {
        let result = eligibleVariants(ChooserFixtures.ladder, .view(ChooserFixtures.view(400, 225)))
        #expect(indices(result) == [0, 1] && result.restriction == .view(PixelSize(width: 400, height: 225)))
    }

    @Test("If only audio is played, an audio-only variant is eligible, or else the lowest variant")
    func audioOnlyChoosesAnAudioOnlyOrTheLowestVariant() {
        let audioVariant = VariantCandidate(index: 7, bandwidth: 64_000, hasVideo: false)
        #expect(indices(eligibleVariants([audioVariant] + ChooserFixtures.ladder, .audioOnly)) == [7])
        let result = eligibleVariants(ChooserFixtures.ladder, .audioOnly)
        #expect(indices(result) == [0] && result.restriction == .audioOnly)
    }

    @Test("If the limits exclude all variants, the lowest variant is eligible")
    func lowestVariantIsEligibleIfTheLimitsExcludeAll() {
        #expect(indices(eligibleVariants { $0.preferredPeakBitRate = 1 }) == [0])
        #expect(indices(eligibleVariants { $0.preferredMaximumResolution = PixelSize(width: 1, height: 1) }) == [0])
        let undecodableVariants = (1...3).map { VariantCandidate(index: $0, bandwidth: Int64($0), isDecodable: false) }
        #expect(indices(eligibleVariants(undecodableVariants)) == [1])
        var exclusions = VariantExclusions()
        for index in 0..<5 { exclusions.excludeVariant(index, at: 0) }
        #expect(indices(eligibleVariants(exclusions: exclusions, at: 1)) == [0])
    }
}
