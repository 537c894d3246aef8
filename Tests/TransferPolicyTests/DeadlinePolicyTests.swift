import Testing

@testable import TransferPolicy

@Suite struct DeadlinePolicyTests {
    private static let day = Duration.seconds(86_400)
    private let deadline = DeadlinePolicy(remaining: day * 7, bootTime: .seconds(500), wallTime: day * 20_000)
    private var day: Duration { Self.day }

    @Test func withinABootOnlyTheBootTimeCounts() {
        for wallJump in [day * -3, .zero, day * 40] {
            let remaining = deadline.remaining(
                bootTime: .seconds(500) + day, wallTime: day * 20_001 + wallJump, isSameBoot: true)
            #expect(remaining == day * 6)
        }
    }

    @Test func theTimeBetweenTwoBootsCounts() {
        let remaining = deadline.remaining(bootTime: .seconds(30), wallTime: day * 20_002, isSameBoot: false)
        #expect(remaining == day * 5)
    }

    @Test(arguments: [-3, -20_000, 31, 40]) func aWallClockThatWasSetDoesNotCount(_ days: Int) {
        let remaining = deadline.remaining(bootTime: .seconds(30), wallTime: day * (20_000 + days), isSameBoot: false)
        #expect(remaining == day * 7)
    }

    @Test func aBootTimeThatFallsBackDoesNotCount() {
        #expect(deadline.remaining(bootTime: .seconds(30), wallTime: .zero, isSameBoot: true) == day * 7)
    }

    @Test func aPassedDeadlineIsNotPositive() {
        #expect(deadline.remaining(bootTime: .seconds(500) + day * 8, wallTime: .zero, isSameBoot: true) == .zero - day)
    }

    @Test func savingAgainKeepsTheRemainingTime() {
        let restored = deadline.rebased(bootTime: .seconds(30), wallTime: day * 20_002, isSameBoot: false)
        #expect(restored.end == .seconds(30) + day * 5)
        let remaining = restored.remaining(bootTime: .seconds(40), wallTime: .zero, isSameBoot: true)
        #expect(remaining == day * 5 - .seconds(10))
    }

    @Test func manySavesDoNotChangeTheEnd() {
        var saved = deadline
        for second in 501..<900 {
            saved = saved.rebased(bootTime: .seconds(second), wallTime: .seconds(second * 7), isSameBoot: true)
        }
        #expect(saved.end == deadline.end)
    }

    @Test(arguments: [(7, 0.0), (3, 4.0 / 7), (0, 1), (-2, 1), (9, 0)])
    func theElapsedShareIsBetweenZeroAndOne(_ remainingDays: Int, _ share: Double) {
        let elapsed = DeadlinePolicy.elapsedShare(remaining: day * remainingDays, total: day * 7)
        #expect(abs(elapsed - share) < 1e-9)
    }

    @Test func aTimeLimitOfZeroIsUsedUp() {
        #expect(DeadlinePolicy.elapsedShare(remaining: .zero, total: .zero) == 1)
    }
}
