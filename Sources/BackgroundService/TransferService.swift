import BackgroundProtocol
import LedgerStore
import Logging
import SystemCalls
import TransferPolicy

/// All transfers of the user: feeds their state machines, stores every change before it acts, and drives the engine.
///
/// Used by the service's thread.
final class TransferService {
    let ledger: Ledger
    let clock: ServiceClock
    let engine: any EngineControl
    let logger: Logger
    /// The transfers that were not delivered when the service started, or were created since, by their keys.
    var transfers: [Int64: Transfer] = [:]
    /// The transfers of the engine's runs, by the numbers of the runs.
    var runs: [UInt64: Transfer] = [:]
    /// The number of the last run.
    var lastRun: UInt64 = 0
    /// The rules that choose the transfers that start.
    var admission = AdmissionPolicy(), gate = HostGate()
    /// The state of network and power.
    var conditions = MachineConditions()
    /// The inputs that could not be stored, by the keys of their transfers.
    private(set) var deferredInputs: [Int64: DeferredInputs] = [:]
    /// The boot time of the next check of full disks, in nanoseconds.
    var nextDiskCheck: Int64?
    /// The boot time at which old transfers are removed from the history, in nanoseconds.
    var nextHistoryCheck: Int64 = 0
    /// Receives changes of transfers.
    weak var observer: (any TransferObserver)?

    /// Creates a service without transfers; ``load(session:)`` loads them.
    init(ledger: Ledger, clock: ServiceClock, engine: any EngineControl, logger: Logger) {
        (self.ledger, self.clock, self.engine, self.logger) = (ledger, clock, engine, logger)
        engine.onEvent = { [unowned self] in handle($0) }
        engine.onExit = { [unowned self] in handleEngineExit() }
    }

    /// Whether a transfer needs the service: it runs, or will run without a further command.
    var hasWork: Bool {
        transfers.values.contains { transfer in
            switch transfer.machine.state {
            case .queued, .waiting, .connecting, .receiving, .verifying, .finishing: true
            case .created, .paused, .finished, .delivered, .failed, .cancelled: transfer.run != nil
            }
        }
    }

    /// Passes an input to the state machine of a transfer: stores the new state and its events in one transaction, and
    /// then performs the actions.
    ///
    /// If the state cannot be stored, the machine keeps its state, and the input is handled again later.
    func handle(_ input: TransferMachine.Input, of transfer: Transfer) { _ = attempt(input, of: transfer) }

    /// Does the same as ``handle(_:of:)``.
    ///
    /// - Returns: False if the state cannot be stored now.
    func attempt(_ input: TransferMachine.Input, of transfer: Transfer) -> Bool {
        var machine = transfer.machine
        let actions = machine.handle(input)
        guard machine != transfer.machine || !actions.isEmpty else { return true }
        do throws(DatabaseError) {
            try store(machine.state, actions, of: transfer)
        } catch {
            logger.error("cannot store the state of transfer \(transfer.row.id): \(error)")
            transfer.fault = "waiting for the disk: \(error.message)"
            deferredInputs[transfer.row.id, default: DeferredInputs()].add(input)
            scheduleDiskCheck()
            observer?.transferDidChange(transfer)
            return false
        }
        transfer.fault = nil
        transfer.machine = machine
        switch machine.state {
        case .waiting(.disk), .waiting(.publication): scheduleDiskCheck()
        default: break
        }
        // Actions may change the state again, so the observer is called first.
        observer?.transferDidChange(transfer)
        for action in actions { perform(action, of: transfer) }
        return true
    }

    /// Stores a state with the events that belong to it, if they differ from what is stored.
    private func store(
        _ state: TransferState, _ actions: [TransferMachine.Action], of transfer: Transfer
    ) throws(DatabaseError) {
        let stored = state.stored
        var progress = transfer.row.progress
        (progress.state, progress.stateNumber) = (stored.name, stored.number)
        (progress.fruitless, progress.faults) = (
            Int64(transfer.retry.failureCount), Int64(transfer.retry.garbageCount)
        )
        if state.isTerminal, progress.ended == nil {
            progress.ended = clock.wall()
            progress.bytes = transfer.snapshot(now: clock.time).bytes.done
        }
        if state == .delivered {
            // The history shows how the transfer ended.
            let outcome =
                transfer.machine.state == .delivered ? TaskSnapshot.Phase.finished : transfer.machine.state.phase
            progress.stateNumber = Int64(outcome.rawValue)
            if case .failed(let failure) = transfer.machine.state { progress.detail = transfer.text(of: failure) }
        }
        let events = actions.flatMap { eventKinds(for: $0, of: transfer) }
        guard progress != transfer.row.progress || !events.isEmpty else { return }
        try ledger.transaction { () throws(DatabaseError) in
            try ledger.save(progress, of: transfer.row.id)
            for kind in events {
                try ledger.appendEvent(
                    session: transfer.row.session, task: transfer.row.id, kind: Int64(kind.rawValue))
            }
        }
        transfer.row.progress = progress
    }

    /// The events that an action queues for the program.
    private func eventKinds(for action: TransferMachine.Action, of transfer: Transfer) -> [ClientEvent.Kind] {
        guard transfer.deliversEvents else { return [] }
        switch action {
        case .deliverFinished: return transfer.isUpload ? [.completed] : [.finished, .completed]
        case .deliverFailure, .deliverCancellation: return [.completed]
        case .requestCredentials: return [.challenge]
        case .start, .stop, .verify, .publish, .restartFromZero, .deletePart: return []
        }
    }

    /// Handles the inputs again that could not be stored.
    func handleDeferredInputs() {
        let deferred = deferredInputs
        deferredInputs = [:]
        for (id, deferred) in deferred.sorted(by: { $0.key < $1.key }) {
            guard let transfer = transfers[id] else { continue }
            for input in deferred.inputs { handle(input, of: transfer) }
        }
    }

    /// Schedules the next check of full disks.
    func scheduleDiskCheck() {
        nextDiskCheck = nextDiskCheck ?? clock.now() + DiskPolicy.checkInterval.clampedNanoseconds
    }
}

/// An object that receives changes of transfers.
protocol TransferObserver: AnyObject {
    /// The state of a transfer changed, and is stored.
    func transferDidChange(_ transfer: Transfer)
    /// The number of received or sent bytes changed.
    func transferDidProgress(_ transfer: Transfer)
    /// A transfer continues at an offset after an interruption.
    func transferDidResume(_ transfer: Transfer, at offset: Int64)
}
