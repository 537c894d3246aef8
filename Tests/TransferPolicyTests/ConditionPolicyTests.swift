import Testing

@testable import TransferPolicy

@Suite struct ConditionPolicyTests {
    private let urgent = ConditionPolicy()
    private let discretionary = ConditionPolicy(isDiscretionary: true)
    private let frugal = ConditionPolicy(allowsExpensiveNetworkAccess: false)

    @Test(arguments: [
        (MachineConditions.Connectivity.full, nil), (.limited, WaitingReason.network), (.offline, .network),
        (.portal, .portal),
    ])
    func everyTransferNeedsTheInternet(_ connectivity: MachineConditions.Connectivity, _ reason: WaitingReason?) {
        var conditions = MachineConditions()
        conditions.connectivity = connectivity
        for policy in [urgent, discretionary, frugal] {
            #expect(policy.waitingReason(under: conditions, now: .zero) == reason)
        }
    }

    @Test func aMeteredNetworkIsForTransfersThatPermitIt() {
        var conditions = MachineConditions()
        conditions.isMetered = true
        #expect(urgent.waitingReason(under: conditions, now: .zero) == nil)
        #expect(frugal.waitingReason(under: conditions, now: .zero) == .metered)
        #expect(discretionary.waitingReason(under: conditions, now: .zero) == .metered)
    }

    @Test func aDiscretionaryTransferNeverUsesAMeteredNetwork() {
        var conditions = MachineConditions()
        conditions.isMetered = true
        #expect(discretionary.waitingReason(under: conditions, elapsedShare: 0.99, now: .zero) == .metered)
    }

    @Test(arguments: [
        (49.0, 0.0, false), (50, 0, true), (20, 0.49, false), (20, 0.5, true), (19, 0.5, false), (19, 0.74, false),
        (1, 0.75, true), (.nan, 0, false),
    ])
    func theNeededChargeFallsAsTimePasses(_ percent: Double, _ share: Double, _ canRun: Bool) {
        var conditions = MachineConditions()
        conditions.power = .battery(percent: percent)
        let reason = discretionary.waitingReason(under: conditions, elapsedShare: share, now: .zero)
        #expect(reason == (canRun ? nil : .power))
    }

    @Test(arguments: [(0.0, false), (0.5, false), (0.75, true)])
    func savingPowerHoldsDiscretionaryTransfersBack(_ share: Double, _ canRun: Bool) {
        var conditions = MachineConditions()
        conditions.savesPower = true
        let reason = discretionary.waitingReason(under: conditions, elapsedShare: share, now: .zero)
        #expect(reason == (canRun ? nil : .power))
    }

    @Test func powerDoesNotMatterToOtherTransfers() {
        var conditions = MachineConditions()
        conditions.savesPower = true
        conditions.power = .battery(percent: 1)
        #expect(urgent.waitingReason(under: conditions, now: .zero) == nil)
    }

    @Test func theEarliestBeginComesFirst() {
        var conditions = MachineConditions()
        conditions.connectivity = .offline
        let policy = ConditionPolicy(earliestBegin: .seconds(10), relaunchDelayEnd: .seconds(20))
        #expect(policy.waitingReason(under: conditions, now: .seconds(9)) == .time(until: .seconds(10)))
        #expect(policy.waitingReason(under: conditions, now: .seconds(10)) == .relaunchDelay(until: .seconds(20)))
        #expect(policy.waitingReason(under: conditions, now: .seconds(20)) == .network)
    }

    @Test func aMachineWithoutServicesRunsEveryTransfer() {
        #expect(discretionary.waitingReason(under: MachineConditions(), now: .zero) == nil)
    }
}
