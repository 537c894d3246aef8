import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct VariantChoiceReasonTests {
    /// One value of each case of ``VariantRestriction``.
    private static let restrictions: [VariantRestriction] = [
        .undecodable, .failure, .videoRange, .audioOnly, .peakBitRate(2_000_000),
        .resolution(PixelSize(width: 1280, height: 720)), .memory(8_000_000), .view(PixelSize(width: 400, height: 225)),
    ]

    /// One value of each case of ``VariantChoiceReason``.
    private static let reasons: [VariantChoiceReason] = [
        .userChoice, .onlyEligible(nil), .onlyEligible(.failure), .start(share: 0.6, estimate: 2_000_000),
        .startWithoutEstimate, .firstInPlaylist, .quickStart(share: 0.7, estimate: 2_000_000),
        .stepUp(predicted: 14.24, estimate: 2_000_000), .stepDown(predicted: -3, estimate: 600_000), .restricted(nil),
        .restricted(.memory(8_000_000)), .best(nil), .best(.undecodable), .hold(predicted: 6, estimate: 900_000),
        .waitAfterStep(remaining: 3.21), .lowest(predicted: 1, estimate: 100_000),
        .abandon(remainingTime: 12, playable: 5.5, replacementTime: 2.4), .replace(segments: 5, bytes: 2_100_000),
    ]

    @Test("The explanation of a stalled download contains no huge number")
    func explanationOfAStalledDownloadHasNoHugeNumber() {
        #expect(
            VariantChoiceReason.abandon(remainingTime: 4_400_000, playable: 5.5, replacementTime: 2.4).description
                == "the download needed more than an hour, because almost nothing arrives, with 5.5 s left to play; "
                + "this variant needs 2.4 s")
    }

    @Test("Each reason and each restriction has its own explanation") func eachReasonHasItsOwnExplanation() {
        let texts = Self.reasons.map(\.description) + Self.restrictions.map(\.description)
        #expect(texts.allSatisfy { !$0.isEmpty && !$0.contains("Optional") })
        #expect(Set(texts).count == texts.count)
    }

    @Test("An explanation states the quantities that determined the choice")
    func explanationStatesTheDecisiveQuantities() {
        #expect(
            VariantChoiceReason.stepUp(predicted: 14.24, estimate: 2_000_000).description
                == "higher: with this variant 14.2 s would soon be buffered at 2.00 Mb/s")
        #expect(
            VariantChoiceReason.stepDown(predicted: -3, estimate: 600_000).description
                == "lower: with the previous variant playback would stall soon at 600 kb/s")
        #expect(
            VariantChoiceReason.best(.view(PixelSize(width: 400, height: 225))).description
                == "it is the best eligible variant: the view has 400×225 pixels")
    }

    @Test("A choice states the variant's number and bit rate") func choiceStatesTheVariantsNumberAndBitRate() {
        let choice = VariantChoice(ChooserFixtures.ladder[3], .userChoice)
        #expect(choice.description == "variant 3 (2.80 Mb/s): the user has chosen this variant")
    }
}
