import SharedFrames
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct VariantChooserTests {
    /// Converts a host time from seconds to nanoseconds.
    private func hostTime(_ seconds: Double) -> Int64 { Int64(nanosecondsOf: seconds) }

    /// Returns a new variant chooser.
    private func chooser(_ candidates: [VariantCandidate] = ChooserFixtures.ladder) throws -> VariantChooser {
        try #require(VariantChooser(candidates))
    }

    /// Returns a variant chooser that has left the quick start and has played 480p since 0 s.
    private func steadyChooser() throws -> VariantChooser {
        var chooser = try chooser()
        _ = chooser.nextChoice(ChooserFixtures.input(buffered: 0, megabits: 2.4))
        _ = chooser.nextChoice(ChooserFixtures.input(buffered: 14, megabits: 1.8))
        #expect(chooser.currentIndex == 2)
        return chooser
    }

    @Test("A chooser needs at least one variant")
    func chooserNeedsAtLeastOneVariant() { #expect(VariantChooser([]) == nil) }

    @Test("Variants are sorted by bit rate, and equal variants in reverse order of the playlist")
    func variantsAreSortedByBitRate() throws {
        let equalVariant = ChooserFixtures.variant(9, 5_000_000, 1080)
        let variantWithUsedIndex = ChooserFixtures.variant(0, 9_000_000, 2160)
        let chooser = try chooser(ChooserFixtures.ladder.reversed() + [equalVariant, variantWithUsedIndex])
        #expect(chooser.candidates.map(\.index) == [0, 1, 2, 3, 9, 4])
    }

    @Test("The first choice without an estimate is 360p") func firstChoiceWithoutAnEstimateIs360p() throws {
        var chooser = try chooser()
        let choice = chooser.nextChoice(ChooserFixtures.input(buffered: 0, megabits: 1, isTrusted: false))
        #expect(choice.variant == 1 && choice.reason == .startWithoutEstimate && chooser.currentIndex == 1)
    }

    @Test("With startsOnFirstVariant, the first choice is the first eligible variant of the playlist")
    func startsOnFirstVariantSelectsTheFirstVariantOfThePlaylist() throws {
        let ladder = [ChooserFixtures.variant(3, 800_000, 360), ChooserFixtures.variant(1, 2_800_000, 720)]
        var chooser = try chooser(ladder + [ChooserFixtures.variant(0, 9_000_000, 2160)])
        (chooser.limits.startsOnFirstVariant, chooser.limits.preferredPeakBitRate) = (true, 5_000_000)
        let input = ChooserFixtures.input(buffered: 0, megabits: 1, isTrusted: false)
        let firstChoice = chooser.nextChoice(input)
        #expect(firstChoice.variant == 1 && firstChoice.reason == .firstInPlaylist)
        chooser.restart()
        #expect(chooser.nextChoice(input).reason == .startWithoutEstimate)
    }

    @Test("The first choice fits the size of the view") func firstChoiceRespectsTheView() throws {
        var chooser = try chooser()
        _ = chooser.updateDestination(.view(ChooserFixtures.view(320, 180)), at: 0)
        let choice = chooser.nextChoice(ChooserFixtures.input(buffered: 0, megabits: 20))
        #expect(choice.variant == 0 && choice.reason == .onlyEligible(.view(PixelSize(width: 320, height: 180))))
    }

    @Test("The quick start may skip several variants, and may change the variant at each segment")
    func quickStartMaySkipSeveralVariants() throws {
        var chooser = try chooser()
        _ = chooser.nextChoice(ChooserFixtures.input(buffered: 0, megabits: 1, isTrusted: false))
        let secondChoice = chooser.nextChoice(ChooserFixtures.input(now: 0.4, buffered: 3.6, megabits: 4.5))
        #expect(secondChoice.variant == 3 && secondChoice.reason == .quickStart(share: 0.7, estimate: 4_500_000))
        #expect(chooser.nextChoice(ChooserFixtures.input(now: 0.8, buffered: 7, megabits: 8)).variant == 4)
    }

    @Test("The quick start ends when 14 s are buffered") func quickStartEndsWith14SecondsOfBuffer() throws {
        var chooser = try chooser()
        _ = chooser.nextChoice(ChooserFixtures.input(buffered: 0, megabits: 20))
        let choice = chooser.nextChoice(ChooserFixtures.input(now: 3, buffered: 14, megabits: 20))
        #expect(choice.reason == .best(nil))
    }

    @Test("The quick start ends when the link becomes slower") func quickStartEndsWhenTheLinkBecomesSlower() throws {
        var chooser = try chooser()
        _ = chooser.nextChoice(ChooserFixtures.input(buffered: 0, megabits: 5))
        let lowerChoice = chooser.nextChoice(ChooserFixtures.input(now: 1, buffered: 3, megabits: 1))
        #expect(lowerChoice.variant < 3)
        if case .stepDown = lowerChoice.reason {} else { Issue.record("unexpected reason: \(lowerChoice)") }
        // From now on the look-ahead rule decides whether a higher variant is chosen.
        let higherChoice = chooser.nextChoice(ChooserFixtures.input(now: 2, buffered: 4, megabits: 2.1))
        if case .stepUp = higherChoice.reason {} else { Issue.record("unexpected reason: \(higherChoice)") }
    }

    @Test("A variant is kept as long as 8 s of media would stay buffered")
    func variantStaysWhile8SecondsOfBufferRemain() throws {
        var chooser = try steadyChooser()
        // At 85 % of 1.5 Mb/s, downloading four segments of 480p (1.4 Mb/s) shortens the buffer by 1.6 s.
        let choice = chooser.nextChoice(ChooserFixtures.input(now: 20, buffered: 10, megabits: 1.5))
        #expect(choice.variant == 2)
        if case .hold(let predicted, _) = choice.reason { #expect(predicted < 8) } else { Issue.record("\(choice)") }
        let lowerChoice = chooser.nextChoice(ChooserFixtures.input(now: 24, buffered: 9, megabits: 1.5))
        #expect(lowerChoice.variant == 1)
    }

    @Test("A change to a higher variant must leave 12 s of media buffered")
    func higherVariantMustLeave12SecondsOfBuffer() throws {
        var chooser = try steadyChooser()
        // At 85 % of 2.8 Mb/s, downloading four segments of 720p (2.8 Mb/s) shortens the buffer by 2.8 s.
        #expect(chooser.nextChoice(ChooserFixtures.input(now: 20, buffered: 14.7, megabits: 2.8)).variant == 2)
        let higherChoice = chooser.nextChoice(ChooserFixtures.input(now: 24, buffered: 14.9, megabits: 2.8))
        #expect(higherChoice.variant == 3)
        if case .stepUp(let predicted, _) = higherChoice.reason {
            #expect(predicted >= 12)
        } else {
            Issue.record("\(higherChoice)")
        }
    }

    @Test("Changes to higher variants are at least 8 s apart") func changesToHigherVariantsAre8SecondsApart() throws {
        var chooser = try steadyChooser()
        #expect(chooser.nextChoice(ChooserFixtures.input(now: 20, buffered: 20, megabits: 3.4)).variant == 3)
        let delayedChoice = chooser.nextChoice(ChooserFixtures.input(now: 27.9, buffered: 28, megabits: 50))
        #expect(delayedChoice.variant == 3)
        if case .waitAfterStep(let remaining) = delayedChoice.reason {
            #expect(abs(remaining - 0.1) < 1e-6)
        } else {
            Issue.record("\(delayedChoice)")
        }
        #expect(chooser.nextChoice(ChooserFixtures.input(now: 28, buffered: 28, megabits: 50)).variant == 4)
    }

    @Test("On a link that is too slow for all variants the lowest is chosen, with its own reason")
    func tooSlowLinkSelectsTheLowestVariant() throws {
        var chooser = try steadyChooser()
        let choice = chooser.nextChoice(ChooserFixtures.input(now: 20, buffered: 3, megabits: 0.1))
        #expect(choice.variant == 0)
        if case .lowest(let predicted, _) = choice.reason { #expect(predicted < 0) } else { Issue.record("\(choice)") }
    }

    @Test("A lower limit takes effect immediately") func lowerLimitTakesEffectImmediately() throws {
        var chooser = try steadyChooser()
        chooser.limits.preferredPeakBitRate = 800_000
        let choice = chooser.nextChoice(ChooserFixtures.input(now: 20, buffered: 30, megabits: 20))
        #expect(choice.variant == 1 && choice.reason == .restricted(.peakBitRate(800_000)))
    }

    @Test("After a window has become small, the next segment fits the window")
    func nextSegmentFitsASmallWindow() throws {
        var chooser = try steadyChooser()
        _ = chooser.updateDestination(.view(ChooserFixtures.view(1920, 1080)), at: hostTime(18))
        _ = chooser.updateDestination(.view(ChooserFixtures.view(400, 225)), at: hostTime(20))
        #expect(chooser.nextDestinationDecisionTime == hostTime(21))
        let choice = chooser.nextChoice(ChooserFixtures.input(now: 21, buffered: 30, megabits: 20))
        #expect(choice.variant == 1 && choice.reason == .restricted(.view(PixelSize(width: 400, height: 225))))
        let nextChoice = chooser.nextChoice(ChooserFixtures.input(now: 25, buffered: 30, megabits: 20))
        #expect(nextChoice.reason == .best(.view(PixelSize(width: 400, height: 225))))
    }

    @Test("A failed variant is avoided for 60 s, a failed host for 5 min")
    func failedVariantsAndHostsAreAvoided() throws {
        let otherHostVariant = VariantCandidate(index: 8, bandwidth: 2_000_000, host: "other.example")
        var chooser = try chooser(ChooserFixtures.ladder + [otherHostVariant])
        chooser.excludeVariant(4, at: 0)
        chooser.excludeVariant(77, at: 0)
        chooser.excludeHost("other.example", at: 0)
        chooser.excludeHost("", at: 0)
        #expect(chooser.eligibleVariants(at: hostTime(59)).variants.map(\.index) == [0, 1, 2, 3])
        #expect(chooser.eligibleVariants(at: hostTime(61)).variants.map(\.index) == [0, 1, 2, 3, 4])
        #expect(chooser.eligibleVariants(at: hostTime(301)).variants.map(\.index) == [0, 1, 2, 8, 3, 4])
    }

    @Test("The variant that the user chooses overrides all rules, and an unknown variant is ignored")
    func userChoiceOverridesAllRules() throws {
        var chooser = try steadyChooser()
        chooser.limits.userChoice = 4
        chooser.limits.preferredPeakBitRate = 1
        let choice = chooser.nextChoice(ChooserFixtures.input(now: 20, buffered: 1, megabits: 0.1))
        #expect(choice.variant == 4 && choice.reason == .userChoice)
        let stalledProgress = ChooserFixtures.progress(4, received: 0, total: 2_500_000, elapsed: 9, playable: 0)
        let abandonChoice = chooser.abandon(stalledProgress, ChooserFixtures.input(now: 29, buffered: 0, megabits: 0.1))
        #expect(abandonChoice == nil)
        // While the chosen variant fails, other variants are played.
        chooser.excludeVariant(4, at: hostTime(30))
        let replacement = chooser.nextChoice(ChooserFixtures.input(now: 31, buffered: 1, megabits: 0.1))
        #expect(replacement.variant != 4 && replacement.reason != .userChoice)
        chooser.limits.userChoice = 99
        #expect(chooser.nextChoice(ChooserFixtures.input(now: 30, buffered: 1, megabits: 0.1)).variant == 0)
    }

    @Test("The user's choice replaces the segment that is being downloaded, unless half of it has arrived")
    func userChoiceReplacesTheLoadingSegment() throws {
        var chooser = try steadyChooser()
        chooser.limits.userChoice = 4
        let input = ChooserFixtures.input(now: 20, buffered: 8, megabits: 9)
        let halfCompleteProgress = ChooserFixtures.progress(
            0, received: 100_000, total: 200_000, elapsed: 0.1, playable: 8)
        let abandonChoice = chooser.abandon(halfCompleteProgress, input)
        #expect(abandonChoice == nil)
        for total in [200_002, nil] as [Int64?] {
            let progress = ChooserFixtures.progress(0, received: 100_000, total: total, elapsed: 0.1, playable: 8)
            let abandonChoice = chooser.abandon(progress, input)
            let choice = try #require(abandonChoice)
            #expect(choice.variant == 4 && choice.reason == .userChoice && chooser.currentIndex == 4)
        }
    }

    @Test("A stopped download continues with a lower variant and ends the quick start")
    func stoppedDownloadContinuesWithALowerVariant() throws {
        var chooser = try chooser()
        _ = chooser.nextChoice(ChooserFixtures.input(buffered: 0, megabits: 9))
        let lateProgress = ChooserFixtures.progress(4, received: 50_000, total: 2_500_000, elapsed: 3, playable: 3)
        let abandonChoice = chooser.abandon(lateProgress, ChooserFixtures.input(now: 3, buffered: 3, megabits: 0.5))
        let choice = try #require(abandonChoice)
        #expect(choice.variant == 0 && chooser.currentIndex == 0)
        if case .abandon = choice.reason {} else { Issue.record("\(choice)") }
        let nextChoice = chooser.nextChoice(ChooserFixtures.input(now: 6, buffered: 4, megabits: 0.5))
        if case .quickStart = nextChoice.reason { Issue.record("\(nextChoice)") }
    }

    @Test("After a seek, the estimate determines the first variant")
    func estimateDeterminesTheFirstVariantAfterASeek() throws {
        var chooser = try steadyChooser()
        chooser.restart()
        let choice = chooser.nextChoice(ChooserFixtures.input(now: 30, buffered: 0, megabits: 9))
        #expect(choice.variant == 4 && choice.reason == .start(share: 0.6, estimate: 9_000_000))
    }

    @Test("The first choice after a seek does not delay the next upward step")
    func firstChoiceAfterASeekDoesNotDelayTheNextStep() throws {
        var chooser = try steadyChooser()
        chooser.restart()
        #expect(chooser.nextChoice(ChooserFixtures.input(now: 30, buffered: 0, megabits: 5)).variant == 3)
        let higherChoice = chooser.nextChoice(ChooserFixtures.input(now: 34, buffered: 24, megabits: 50))
        #expect(higherChoice.variant == 4)
    }

    @Test("A playlist that cannot be decoded is reported") func undecodablePlaylistIsReported() throws {
        #expect(try chooser().hasDecodableVariant)
        #expect(try !chooser([VariantCandidate(index: 0, bandwidth: 1, isDecodable: false)]).hasDecodableVariant)
    }
}
