import SharedFrames
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct VariantChooserRandomTests {
    /// Extreme 64-bit values, valid or not, for the inputs of the variant chooser.
    private static let extremes: [Int64] = [.min, -1, 0, 1, 4_000_000_000, 30_000_000_000, .max]

    /// Returns a random number or one of ``extremes``.
    private func randomValue(_ generator: inout SeededGenerator) -> Int64 {
        Bool.random(using: &generator)
            ? Self.extremes.randomElement(using: &generator) ?? 0
            : Int64.random(in: 0...40_000_000_000, using: &generator)
    }

    /// Returns random variants, valid or not.
    private func randomCandidates(_ generator: inout SeededGenerator) -> [VariantCandidate] {
        (0..<Int.random(in: 1...12, using: &generator)).map { index in
            VariantCandidate(
                index: index, bandwidth: randomValue(&generator), averageBandwidth: randomValue(&generator),
                size: PixelSize(
                    width: Int(randomValue(&generator) % 5000), height: Int(truncatingIfNeeded: randomValue(&generator))
                ),
                isDecodable: Int.random(in: 0..<8, using: &generator) > 0, hasVideo: .random(using: &generator),
                videoRange: [.sdr, .pq, .hlg].randomElement(using: &generator) ?? .sdr,
                host: ["", "a", "b"].randomElement(using: &generator) ?? "")
        }
    }

    /// Returns a random input of the variant chooser, valid or not.
    private func randomInput(_ generator: inout SeededGenerator) -> ChooserInput {
        let rates = [Double.nan, -1, 0, 0.5, 1, 2, 1e300, .infinity]
        return ChooserInput(
            now: randomValue(&generator), bufferedDuration: randomValue(&generator),
            bufferedSegmentCount: Int(truncatingIfNeeded: randomValue(&generator)),
            segmentDuration: randomValue(&generator),
            estimate: ThroughputEstimate(
                bitsPerSecond: Double(randomValue(&generator)), isTrusted: .random(using: &generator),
                latency: randomValue(&generator)),
            rate: rates.randomElement(using: &generator) ?? 1, segmentSizes: [0: [randomValue(&generator)]],
            remainingSegmentCount: .random(using: &generator) ? Int(truncatingIfNeeded: randomValue(&generator)) : nil)
    }

    @Test("Random states, extreme ones too, always yield a known variant with an explanation")
    func randomStatesYieldAKnownVariantWithAnExplanation() throws {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<100 {
            let candidates = randomCandidates(&generator)
            var chooser = try #require(VariantChooser(candidates))
            for _ in 0..<15 {
                changeRandomly(&chooser, &generator)
                let input = randomInput(&generator)
                let choice = chooser.nextChoice(input)
                #expect(candidates.indices.contains(choice.variant) && !choice.description.isEmpty)
                #expect(chooser.eligibleVariants(at: input.now).variants.contains { $0.index == choice.variant })
                let progress = DownloadProgress(
                    variant: choice.variant, receivedBytes: randomValue(&generator),
                    totalBytes: randomValue(&generator),
                    elapsed: randomValue(&generator), transferTime: randomValue(&generator),
                    recentBitsPerSecond: Double(randomValue(&generator)), playableDuration: randomValue(&generator))
                if let lowerChoice = chooser.abandon(progress, input) {
                    #expect(lowerChoice.bandwidth < choice.bandwidth && !lowerChoice.description.isEmpty)
                }
                let bufferedSegments = (0..<4).map { _ in
                    BufferedSegment(
                        variant: Int.random(in: -1...12, using: &generator), duration: randomValue(&generator),
                        bytes: randomValue(&generator))
                }
                if let replacement = chooser.replacement(
                    of: bufferedSegments, wastedBytes: randomValue(&generator), input)
                {
                    #expect((1..<4).contains(replacement.keptSegmentCount) && !replacement.choice.description.isEmpty)
                }
            }
        }
    }

    /// Changes the view, the limits or the excluded variants of a chooser at random.
    private func changeRandomly(_ chooser: inout VariantChooser, _ generator: inout SeededGenerator) {
        let size = PixelSize(
            width: Int(randomValue(&generator) % 5000), height: Int(truncatingIfNeeded: randomValue(&generator)))
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: _ = chooser.updateDestination(.view(VideoViewGeometry(size: size)), at: randomValue(&generator))
        case 1: _ = chooser.updateDestination(.audioOnly, at: randomValue(&generator))
        case 2: chooser.limits.preferredPeakBitRate = randomValue(&generator)
        case 3: chooser.limits.preferredMaximumResolution = size
        case 4: chooser.limits.bufferBytes = randomValue(&generator)
        case 5: chooser.excludeVariant(Int.random(in: 0...12, using: &generator), at: randomValue(&generator))
        case 6: chooser.excludeHost("a", at: randomValue(&generator))
        default: chooser.restart()
        }
    }
}
