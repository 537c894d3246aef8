import Foundation
import SharedFrames
import TestSupport

@testable import MediaPipeline

/// The variants of a simulated stream and the sizes of their segments.
struct SimulatedLadder {
    /// The duration of each segment, in seconds.
    static let segmentDuration = 4.0
    /// The number of segments in the stream.
    static let segmentCount = 35

    /// The variants, in descending order of bit rate.
    let candidates: [VariantCandidate]
    /// The sizes of the segments in bits. The first index is the variant, the second the segment.
    let segmentBits: [[Double]]

    /// Creates 720p, 540p, 360p and 180p with declared rates of 2.93, 1.61, 0.84 and 0.345 Mb/s. The segments need 93 %
    /// of the declared rate on average. Their sizes vary from scene to scene in the same way in all variants, and a
    /// little between the variants. Segments may exceed the declared rate by up to 10 %, as Apple's HLS Authoring
    /// Specification permits.
    init(seed: UInt64 = 7) {
        let bitRatesAndHeights = [(2_930_000, 720), (1_610_000, 540), (840_000, 360), (345_000, 180)]
        candidates = bitRatesAndHeights.enumerated().map { index, variant in
            VariantCandidate(
                index: index, bandwidth: Int64(variant.0), averageBandwidth: Int64(Double(variant.0) * 0.93),
                size: PixelSize(width: variant.1 * 16 / 9, height: variant.1))
        }
        var generator = SeededGenerator(seed: seed)
        let sceneLogFactors = (0..<Self.segmentCount).map { _ in 0.09 * LinkTrace.normalRandom(&generator) }
        segmentBits = candidates.map { candidate in
            sceneLogFactors.map { logFactor in
                let sizeFraction = 0.93 * exp(logFactor + 0.03 * LinkTrace.normalRandom(&generator))
                return Double(candidate.bandwidth) * Self.segmentDuration * min(max(sizeFraction, 0.65), 1.1)
            }
        }
    }
}
