import Testing

@testable import MediaPipeline

@Suite struct AbandonRuleTests {
    private let rule = AbandonRule()
    private let ladder = ChooserFixtures.ladder

    /// Returns the rule's decision to stop the download of a segment; nil if the download continues.
    private func verdict(_ progress: DownloadProgress, _ input: ChooserInput) -> AbandonRule.Verdict? {
        rule.verdict(ladder, current: ladder[progress.variant], progress, input, LookAheadRule())
    }

    @Test("The defaults are the documented constants") func defaultParametersAreTheDocumentedConstants() {
        #expect(rule.minimumElapsedFraction == 0.5 && rule.shortBufferMinimumElapsedFraction == 0.15)
        #expect(rule.minimumFinalBuffer == 500_000_000 && rule.longBufferThreshold == 8_000_000_000)
    }

    @Test("With a long buffer a download is not stopped within half of the segment's play time")
    func downloadWithALongBufferContinuesForHalfOfThePlayTime() {
        // A segment of 2.5 MB takes 200 s at 0.1 Mb/s.
        let input = ChooserFixtures.input(buffered: 10, megabits: 0.1)
        #expect(
            verdict(ChooserFixtures.progress(4, received: 0, total: 2_500_000, elapsed: 1.9, playable: 10), input)
                == nil)
        #expect(
            verdict(ChooserFixtures.progress(4, received: 0, total: 2_500_000, elapsed: 2, playable: 10), input) != nil)
    }

    @Test("With a short buffer a download may be stopped after 15 % of the segment's play time")
    func downloadWithAShortBufferMayStopAfter15PercentOfThePlayTime() {
        let input = ChooserFixtures.input(buffered: 4, megabits: 0.5)
        let earlyProgress = ChooserFixtures.progress(4, received: 30_000, total: 2_500_000, elapsed: 0.59, playable: 4)
        let lateProgress = ChooserFixtures.progress(4, received: 30_000, total: 2_500_000, elapsed: 0.6, playable: 4)
        #expect(verdict(earlyProgress, input) == nil && verdict(lateProgress, input) != nil)
    }

    @Test("Half a second of the buffer must remain when the download ends")
    func downloadThatLeavesLessThanHalfASecondStops() {
        // At 1 Mb/s, the remaining 1.25 MB of the segment take 10 s.
        let input = ChooserFixtures.input(buffered: 9, megabits: 1)
        let makeProgress = { (playable: Double) in
            ChooserFixtures.progress(4, received: 250_000, total: 1_500_000, elapsed: 2, playable: playable)
        }
        #expect(verdict(makeProgress(10.6), input) == nil)
        #expect(verdict(makeProgress(10.4), input) != nil)
    }

    @Test("The replacement is the highest variant that arrives before the buffer is empty")
    func replacementIsTheHighestVariantThatArrivesInTime() throws {
        // A segment lasts 4 s. At 0.5 Mb/s, the segments of the variants with 1.4, 0.8 and 0.3 Mb/s take 11.2, 6.4 and
        // 2.4 s.
        let progress = ChooserFixtures.progress(4, received: 0, total: 2_500_000, elapsed: 3, playable: 9)
        let decision = try #require(verdict(progress, ChooserFixtures.input(buffered: 9, megabits: 0.5)))
        #expect(decision.replacementIndex == 1)
        #expect(abs(decision.remainingTime - 40) < 0.1 && abs(decision.replacementTime - 6.4) < 0.1)
    }

    @Test("If no variant arrives before the buffer is empty, the quickest variant is the replacement")
    func quickestVariantReplacesIfNoVariantArrivesInTime() {
        let progress = ChooserFixtures.progress(3, received: 60_000, total: 1_400_000, elapsed: 3, playable: 1)
        #expect(verdict(progress, ChooserFixtures.input(buffered: 0.5, megabits: 0.2))?.replacementIndex == 0)
    }

    @Test("A download that is nearly complete continues, although it is late") func nearlyCompleteDownloadContinues() {
        // The remaining 20 kB of the download arrive sooner than a whole segment of the lowest variant.
        let progress = ChooserFixtures.progress(4, received: 2_480_000, total: 2_500_000, elapsed: 5, playable: 0)
        #expect(verdict(progress, ChooserFixtures.input(buffered: 0, megabits: 0.5)) == nil)
    }

    @Test("A download continues if stopping it loses too much received media")
    func downloadContinuesIfStoppingLosesTooMuchReceivedMedia() {
        // At 0.25 Mb/s, the remaining 187.5 kB of the segment take 6 s. A segment of the lowest variant (4 s of 0.3
        // Mb/s) takes 4.8 s, but stopping would lose 3.5 s of received media.
        let input = ChooserFixtures.input(buffered: 0.5, megabits: 0.25)
        let makeProgress = { (playable: Double) in
            ChooserFixtures.progress(1, received: 212_500, total: 400_000, elapsed: 6, recent: 0.25, playable: playable)
        }
        #expect(verdict(makeProgress(4), input) == nil)
        #expect(verdict(makeProgress(0.5), input) != nil)
    }

    @Test("A download of the lowest variant always continues") func downloadOfTheLowestVariantContinues() {
        let progress = ChooserFixtures.progress(0, received: 0, total: 150_000, elapsed: 30, playable: 0)
        #expect(verdict(progress, ChooserFixtures.input(buffered: 0, megabits: 0.01)) == nil)
    }

    @Test("With a short buffer the rate of the last second is used, with a long buffer the estimate")
    func bufferedDurationDeterminesTheUsedRate() {
        let makeProgress = { (playable: Double) in
            ChooserFixtures.progress(
                4, received: 1_250_000, total: 2_500_000, elapsed: 3, recent: 0.3, playable: playable)
        }
        #expect(verdict(makeProgress(7), ChooserFixtures.input(buffered: 7, megabits: 4)) != nil)
        #expect(verdict(makeProgress(9), ChooserFixtures.input(buffered: 9, megabits: 4)) == nil)
    }

    @Test("If the size of a segment is unknown, the declared bit rate predicts the size")
    func declaredBitRatePredictsAnUnknownSegmentSize() {
        let progress = ChooserFixtures.progress(4, received: 0, total: nil, elapsed: 3, playable: 9)
        #expect(verdict(progress, ChooserFixtures.input(buffered: 9, megabits: 0.5)) != nil)
        #expect(verdict(progress, ChooserFixtures.input(buffered: 9, megabits: 50)) == nil)
    }

    @Test("Extreme progress does not trap") func extremeProgressDoesNotTrap() {
        for value in [Int64.min, -1, 0, 1, .max] {
            let progress = DownloadProgress(
                variant: 4, receivedBytes: value, totalBytes: value, elapsed: value, transferTime: value,
                recentBitsPerSecond: .nan, playableDuration: value)
            _ = verdict(progress, ChooserFixtures.input(buffered: 0, megabits: 1))
            _ = verdict(progress, ChooserFixtures.input(buffered: 100, megabits: 1))
        }
    }
}
