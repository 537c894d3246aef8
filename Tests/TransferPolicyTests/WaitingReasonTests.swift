import Testing

@testable import TransferPolicy

@Suite struct WaitingReasonTests {
    @Test func delaysShowTheRestOfTheTime() {
        #expect(WaitingReason.retry(until: .seconds(110)).text(now: .seconds(70)) == "tries again in 40 s")
        #expect(WaitingReason.signInPage(until: .seconds(1)).end == .seconds(1))
        #expect(WaitingReason.time(until: .seconds(7200)).text(now: .zero) == "begins in 2 h")
        #expect(WaitingReason.relaunchDelay(until: .seconds(60)).text(now: .zero).hasPrefix("begins in 60 s, or when"))
    }

    @Test func aPassedDelayShowsZero() {
        #expect(WaitingReason.retry(until: .seconds(1)).text(now: .seconds(5)) == "tries again in 0 s")
    }

    @Test func aFullDiskNamesTheErrorAndTheRemedy() {
        let text = WaitingReason.disk(errorNumber: 28).text(now: .zero)
        #expect(text.contains("ENOSPC") && text.contains("free some space"))
    }

    @Test(arguments: [5, 12, 13, 23, 24, 27, 28, 30, 122]) func knownDiskErrorsHaveAText(_ errorNumber: Int32) {
        #expect(!DiskErrorText.text(errorNumber).contains("system error"))
    }

    @Test(arguments: [107, 110, 116]) func errorsOfANetworkFileSystemNameTheRemedy(_ errorNumber: Int32) {
        #expect(DiskErrorText.text(errorNumber).contains("check the network"))
    }

    @Test func anUnknownDiskErrorShowsItsNumber() { #expect(DiskErrorText.text(77) == "system error 77") }

    @Test func onlyDelaysEndByThemselves() {
        #expect(WaitingReason.retry(until: .seconds(1)).end == .seconds(1))
        #expect(WaitingReason.time(until: .seconds(2)).end == .seconds(2))
        #expect(WaitingReason.relaunchDelay(until: .seconds(3)).end == .seconds(3))
        for reason in [WaitingReason.network, .portal, .metered, .power, .hostSlots, .credentials] {
            #expect(reason.end == nil)
        }
    }

    @Test func reasonsThatInterruptAreConditions() {
        for reason in TransferMachineTable.conditions { #expect(reason.isCondition) }
        let others: [WaitingReason] = [
            .disk(errorNumber: 5), .publication(errorNumber: 5), .retry(until: .zero), .signInPage(until: .zero),
            .credentials,
        ]
        #expect(others.allSatisfy { !$0.isCondition && !$0.interruptsTransfers })
    }

    @Test(
        arguments: [
            (-5.0, "0 s"), (0, "0 s"), (0.2, "1 s"), (119, "119 s"), (120, "2 min"), (121, "3 min"), (7199, "2 h"),
            (7200, "2 h"), (7260, "2 h 1 min"), (172_800, "2 days"), (604_805, "7 days"),
        ] as [(Double, String)])
    func durationsAreRoundedUp(_ seconds: Double, _ text: String) {
        #expect(DurationText.text(.seconds(seconds)) == text)
    }
}
