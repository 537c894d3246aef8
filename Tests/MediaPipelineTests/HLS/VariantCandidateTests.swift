import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct VariantCandidateTests {
    @Test("Invalid bit rates and sizes are treated as missing") func invalidBitRatesAndSizesAreTreatedAsMissing() {
        let variant = VariantCandidate(
            index: 0, bandwidth: -5, averageBandwidth: 0, size: PixelSize(width: 0, height: 720))
        #expect(variant.bandwidth == 1 && variant.averageBandwidth == nil && variant.size == nil)
    }

    @Test("The typical bit rate is the average bit rate, or the peak bit rate if the average is unknown")
    func typicalBitRateIsTheAverageOrThePeak() {
        #expect(VariantCandidate(index: 0, bandwidth: 900, averageBandwidth: 700).typicalBitRate == 700)
        #expect(VariantCandidate(index: 0, bandwidth: 900).typicalBitRate == 900)
    }

    @Test("A variant without attributes is treated as decodable SDR video")
    func variantWithoutAttributesIsDecodableSDR() {
        let variant = VariantCandidate(index: 0, bandwidth: 900)
        #expect(variant.isDecodable && variant.hasVideo && variant.videoRange == .sdr && variant.size == nil)
    }
}
