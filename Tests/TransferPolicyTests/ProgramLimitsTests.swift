import Testing

@testable import TransferPolicy

@Suite struct ProgramLimitsTests {
    private let limits = ProgramLimits()

    @Test func aProgramWithinItsLimitsIsNotRefused() {
        let usage = ProgramLimits.Usage(openTasks: 999, unreadEvents: 9999, stagedBytes: (50 << 30) - 1)
        #expect(limits.refusal(usage: usage, recentCreations: 199) == nil)
    }

    @Test func eachLimitRefuses() {
        let refusals = [
            refusal(openTasks: 1000), refusal(unreadEvents: 10_000), refusal(stagedBytes: 50 << 30),
            refusal(recentCreations: 200),
        ]
        #expect(
            refusals == [
                .tooManyTasks(limit: 1000), .tooManyUnreadEvents(limit: 10_000), .tooManyStagedBytes(limit: 50 << 30),
                .tooManyCreations(limit: 200),
            ])
        let texts = refusals.compactMap { $0?.text }
        #expect(Set(texts).count == 4 && texts.allSatisfy { !$0.contains("\n") && $0.count < 100 })
    }

    @Test func theTextsNameTheLimits() {
        #expect(ProgramLimits.Refusal.tooManyStagedBytes(limit: 50 << 30).text.contains("50 GiB"))
        #expect(ProgramLimits.Refusal.tooManyTasks(limit: 1000).text.contains("1000"))
    }

    @Test func limitsCanChange() {
        var smallLimits = limits
        smallLimits.openTasks = 2
        let usage = ProgramLimits.Usage(openTasks: 2)
        let refusal = smallLimits.refusal(usage: usage, recentCreations: 0)
        #expect(refusal == .tooManyTasks(limit: 2))
    }

    private func refusal(
        openTasks: Int = 0, unreadEvents: Int = 0, stagedBytes: Int64 = 0, recentCreations: Int = 0
    ) -> ProgramLimits.Refusal? {
        let usage = ProgramLimits.Usage(openTasks: openTasks, unreadEvents: unreadEvents, stagedBytes: stagedBytes)
        return limits.refusal(usage: usage, recentCreations: recentCreations)
    }
}

@Suite struct CreationWindowTests {
    @Test func onlyTheLastMinuteCounts() {
        var window = CreationWindow()
        for second in [0, 10, 59] { window.handleCreation(now: .seconds(second)) }
        #expect(window.count(now: .seconds(59)) == 3)
        #expect(window.count(now: .seconds(60)) == 2)
        #expect(window.count(now: .seconds(119)) == 0)
    }

    @Test func theLimitRefusesTheTwoHundredAndFirstCreationOfAMinute() {
        var window = CreationWindow()
        var created = 0
        for _ in 0..<300 {
            let count = window.count(now: .seconds(1))
            let limits = ProgramLimits()
            guard limits.refusal(usage: .init(), recentCreations: count) == nil else { continue }
            window.handleCreation(now: .seconds(1))
            created += 1
        }
        #expect(created == 200)
    }
}
