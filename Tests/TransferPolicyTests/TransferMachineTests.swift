import TestSupport
import Testing

@testable import TransferPolicy

@Suite struct TransferMachineTests {
    private typealias Table = TransferMachineTable

    @Test func everyPairOfStateAndInputHasTheEffectOfTheTable() {
        var pairCount = 0
        for state in Table.states {
            for input in Table.inputs {
                let rows = Table.rows.filter { $0.states.contains(state) && $0.input == input }
                #expect(rows.count <= 1, "\(state), \(input)")
                var machine = Table.machine(in: state)
                let actions = machine.handle(input)
                #expect(actions == rows.first?.actions ?? [], "\(state), \(input)")
                #expect(machine.state == rows.first?.newState ?? state, "\(state), \(input)")
                pairCount += 1
            }
        }
        #expect(pairCount == Table.states.count * Table.inputs.count && pairCount > 700)
    }

    @Test func everyRowOfTheTableNamesKnownStatesAndInputs() {
        for row in Table.rows {
            #expect(row.states.allSatisfy(Table.states.contains) && Table.inputs.contains(row.input), "\(row)")
        }
    }

    @Test func aTransferRunsFromCreationToDelivery() {
        var machine = TransferMachine()
        #expect(machine.handle(.resume) == [])
        #expect(machine.state == .queued)
        #expect(machine.handle(.admit) == [.start(run: 1)])
        #expect(machine.handle(.engine(run: 1, .responded)) == [])
        #expect(machine.state == .receiving)
        #expect(machine.handle(.engine(run: 1, .bodyReceived)) == [.verify])
        #expect(machine.handle(.verified(isValid: true)) == [.publish])
        #expect(machine.handle(.published) == [.deliverFinished])
        #expect(machine.state == .finished)
        #expect(machine.handle(.acknowledge) == [.deletePart])
        #expect(machine.state == .delivered)
    }

    @Test func everyStateIsReachedFromCreation() {
        var seen: Set<TransferState> = [.created]
        var machines: Set<TransferMachine> = [TransferMachine()]
        var newMachines = machines
        // Two runs suffice: the run number has no other effect.
        while !newMachines.isEmpty {
            var next: Set<TransferMachine> = []
            for machine in newMachines {
                for input in Table.inputs + Table.reports(run: 2) {
                    var changed = machine
                    _ = changed.handle(input)
                    if changed.runNumber <= 2, machines.insert(changed).inserted { next.insert(changed) }
                    seen.insert(changed.state)
                }
            }
            newMachines = next
        }
        #expect(seen.isSuperset(of: Table.states))
    }

    /// Runs random inputs and checks the promises about the order of actions.
    @Test func randomInputsKeepThePromisesAboutActions() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<400 {
            var machine = TransferMachine()
            var history: [TransferMachine.Action] = []
            var inputs: [TransferMachine.Input] = []
            for _ in 0..<60 {
                let reports = Table.reports(run: machine.runNumber)
                let pool = Bool.random(using: &generator) ? reports : Table.inputs
                guard let input = pool.randomElement(using: &generator) else { continue }
                let wasRunning = machine.state.isRunning
                let actions = machine.handle(input)
                history += actions
                inputs.append(input)
                for case .stop(let run) in actions { #expect(run == machine.runNumber && wasRunning, "\(inputs)") }
            }
            #expect(history.count(where: isDelivery) <= 1, "\(inputs)")
            if machine.state.isTerminal { #expect(history.count(where: isDelivery) == 1, "\(inputs)") }
            if let deletion = history.firstIndex(of: .deletePart) {
                #expect(history[..<deletion].contains(where: isDelivery), "\(inputs)")
            }
            let starts = history.compactMap { if case .start(let run) = $0 { run } else { nil } }
            #expect(starts == Array(1..<starts.count + 1), "\(inputs)")
            let stops = history.compactMap { if case .stop(let run) = $0 { run } else { nil } }
            #expect(Set(stops).count == stops.count, "\(inputs)")
        }
    }

    @Test func reportsOfAnOlderRunAreIgnored() {
        var machine = Table.machine(in: .receiving)
        #expect(machine.handle(.suspend) == [.stop(run: 1)])
        _ = machine.handle(.resume)
        #expect(machine.handle(.admit) == [.start(run: 2)])
        #expect(machine.handle(.engine(run: 1, .bodyReceived)) == [])
        #expect(machine.handle(.engine(run: 1, .interrupted(.permanent(.certificate)))) == [])
        #expect(machine.state == .connecting)
        #expect(machine.handle(.engine(run: 2, .responded)) == [] && machine.state == .receiving)
    }

    @Test func aTransferThatWaitsToRetryKeepsItsReasonWhenConditionsChange() {
        var machine = Table.machine(in: Table.retry)
        _ = machine.handle(.conditionsChanged(.network))
        #expect(machine.state == Table.retry)
        _ = machine.handle(.conditionsChanged(nil))
        #expect(machine.state == Table.retry)
    }

    @Test func aLimitOnSlotsDoesNotStopARunningTransfer() {
        var machine = Table.machine(in: .receiving)
        #expect(machine.handle(.conditionsChanged(.hostSlots)) == [])
        #expect(machine.state == .receiving)
    }

    @Test func aCrashBetweenRenameAndCommitIsCompletedAtTheNextStart() {
        var machine = TransferMachine(state: .finishing)
        #expect(machine.handle(.restarted(.published)) == [.deliverFinished])
        #expect(machine.handle(.restarted(.published)) == [])
    }

    @Test func aCompleteFileThatCannotBePublishedIsNotRequestedAgain() {
        var machine = TransferMachine(state: .finishing)
        _ = machine.handle(.publishFailed(errorNumber: 28))
        _ = machine.handle(.suspend)
        #expect(machine.handle(.admit) == [])
        #expect(machine.handle(.waitEnded) == [.verify])
    }

    @Test func anUploadOrDownloadThatIsAlmostDoneCannotBeCancelledAnyMore() {
        for state in [TransferState.finishing, .finished, .delivered] {
            var machine = TransferMachine(state: state)
            #expect(machine.handle(.cancel) == [] && machine.state == state)
        }
    }

    @Test func timeDoesNotEndASuspendedTransfer() {
        for state in [TransferState.created, .paused] {
            var machine = TransferMachine(state: state)
            #expect(machine.handle(.deadlinePassed) == [] && machine.state == state)
        }
    }

    private func isDelivery(_ action: TransferMachine.Action) -> Bool {
        switch action {
        case .deliverFinished, .deliverFailure, .deliverCancellation: true
        default: false
        }
    }
}
