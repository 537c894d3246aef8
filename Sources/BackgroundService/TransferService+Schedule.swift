import LedgerStore
import SystemCalls
import TransferPolicy

extension TransferService {
    /// The time for which ended transfers are listed: 7 days, in nanoseconds.
    private static let historyTime: Int64 = 7 * 86_400 * MonotonicTime.nanosecondsPerSecond
    /// The time between two removals of older transfers, in nanoseconds.
    private static let historyInterval: Int64 = 3_600 * MonotonicTime.nanosecondsPerSecond

    /// Starts the transfers that can run, ends waits that are over, and returns the boot time in nanoseconds of the
    /// next call; nil if none is needed.
    func schedule() -> Int64? {
        let now = clock.time
        checkDisks(now: now)
        removeOldHistory()
        endWaitsAndDeadlines(now: now)
        let waitsForEngine = admitTransfers(now: now)
        return nextTime(now: now, waitsForEngine: waitsForEngine)
    }

    /// Handles a change of network or power; ``schedule()`` then stops and starts transfers.
    func handle(_ conditions: MachineConditions) {
        let hasReturned = self.conditions.connectivity != .full && conditions.connectivity == .full
        self.conditions = conditions
        guard hasReturned else { return }
        // Attempts that failed without the network say nothing about their servers.
        for transfer in sortedTransfers {
            switch transfer.machine.state {
            case .waiting(.retry), .waiting(.signInPage):
                if transfer.retry.handleNetworkChange(now: clock.time) { handle(.waitEnded, of: transfer) }
            default: break
            }
        }
    }

    /// Removes transfers that ended long ago. Does not wake the service: it grows only while it works.
    private func removeOldHistory() {
        guard clock.now() >= nextHistoryCheck else { return }
        nextHistoryCheck = clock.now() + Self.historyInterval
        do throws(DatabaseError) {
            try ledger.removeHistory(inState: Self.deliveredState, before: clock.wall() - Self.historyTime)
        } catch { logger.warning("cannot remove old transfers from the history: \(error)") }
    }

    /// Looks at the disks for which transfers wait, and at inputs that could not be stored.
    private func checkDisks(now: Duration) {
        guard let time = nextDiskCheck, clock.now() >= time else { return }
        nextDiskCheck = nil
        ledger.restoreReserve()
        handleDeferredInputs()
        recoverUncheckedParts()
        for transfer in sortedTransfers where !transfer.isUnchecked {
            switch transfer.machine.state {
            case .waiting(.publication): handle(.waitEnded, of: transfer)
            case .waiting(.disk):
                switch diskDecision(for: transfer) {
                case .start: handle(.waitEnded, of: transfer)
                case .refuse: handle(.fail(.tooLarge), of: transfer)
                case .wait: scheduleDiskCheck()
                }
            default: break
            }
        }
        if !deferredInputs.isEmpty { scheduleDiskCheck() }
    }

    /// Checks the part files that could not be checked when the service started.
    private func recoverUncheckedParts() {
        for transfer in sortedTransfers where transfer.isUnchecked && !transfer.machine.state.isTerminal {
            do throws(DatabaseError) { try recoverPart(of: transfer) } catch {
                logger.error("cannot store the part file of transfer \(transfer.row.id): \(error)")
                scheduleDiskCheck()
            }
        }
    }

    /// Returns whether the disk of a transfer has enough space.
    private func diskDecision(for transfer: Transfer) -> DiskPolicy.Decision {
        guard let directory = try? PartFiles.directory(of: transfer.row.destination),
            let space = try? directory.space()
        else { return .start }
        return DiskPolicy.decision(
            total: transfer.part?.total, durableLength: transfer.received, freeBytes: space.available,
            capacity: space.total)
    }

    /// Ends delays that are over, and transfers whose time limit has passed.
    private func endWaitsAndDeadlines(now: Duration) {
        for transfer in sortedTransfers {
            if transfer.deadline <= clock.now() {
                handle(transfer.isSetAside ? .cancel : .deadlinePassed, of: transfer)
            }
            if case .waiting(let reason) = transfer.machine.state, !reason.isCondition, let end = reason.end, now >= end
            {
                handle(.waitEnded, of: transfer)
            }
        }
    }

    /// Updates the conditions of the waiting transfers, and starts as many as the limits permit.
    ///
    /// - Returns: Whether transfers could start, but the engine cannot.
    private func admitTransfers(now: Duration) -> Bool {
        var waiting: [Transfer] = [], running: [AdmissionPolicy.Candidate] = []
        for transfer in sortedTransfers {
            if transfer.run != nil { running.append(transfer.candidate) }
            if transfer.isUnchecked { continue }
            switch transfer.machine.state {
            case .queued: break
            case .waiting(let reason) where reason.isCondition: break
            case .connecting, .receiving:
                if let reason = waitingReason(of: transfer, now: now) {
                    handle(.conditionsChanged(reason), of: transfer)
                }
                continue
            default: continue
            }
            if let reason = waitingReason(of: transfer, now: now) {
                set(reason, of: transfer)
            } else if transfer.run == nil {
                waiting.append(transfer)
            }
        }
        guard !waiting.isEmpty else { return false }
        guard engine.isReady(now: MonotonicTime.now) else {
            for transfer in waiting { transfer.fault = engine.fault }
            return true
        }
        let admitted = admission.admit(waiting.map(\.candidate), running: running, gate: gate, now: now)
        for candidate in admitted { transfers[candidate.id].map { admit($0) } }
        for transfer in waiting where transfer.run == nil { set(.hostSlots, of: transfer) }
        return false
    }

    /// Starts a transfer, or lets it wait for disk space.
    private func admit(_ transfer: Transfer) {
        transfer.fault = nil
        if case .waiting = transfer.machine.state { handle(.conditionsChanged(nil), of: transfer) }
        switch diskDecision(for: transfer) {
        case .refuse: handle(.fail(.tooLarge), of: transfer)
        case .start, .wait: handle(.admit, of: transfer)
        }
    }

    /// Lets a transfer wait for a condition, unless it waits for the same condition already.
    private func set(_ reason: WaitingReason, of transfer: Transfer) {
        switch transfer.machine.state {
        case .queued: handle(.conditionsChanged(reason), of: transfer)
        case .waiting(let old) where old.isCondition && !old.isSameWait(as: reason):
            handle(.conditionsChanged(reason), of: transfer)
        default: break
        }
    }

    /// Returns the first condition of a transfer that is not met.
    private func waitingReason(of transfer: Transfer, now: Duration) -> WaitingReason? {
        let configuration = transfer.session.configuration
        let earliest = transfer.row.schedule.earliest
        var policy = ConditionPolicy(
            isDiscretionary: transfer.isDiscretionary,
            allowsExpensiveNetworkAccess: configuration.allowsExpensiveNetworkAccess,
            relaunchDelayEnd: transfer.relaunchDelayEnd)
        // The wall clock may have been set since the last call, so the remaining delay is computed each time.
        if earliest > 0, earliest > clock.wall() { policy.earliestBegin = now + .nanoseconds(earliest - clock.wall()) }
        let share = DeadlinePolicy.elapsedShare(
            remaining: .nanoseconds(max(0, transfer.deadline - clock.now())),
            total: .seconds(configuration.resourceTimeout))
        return policy.waitingReason(under: conditions, elapsedShare: share, now: now)
    }

    /// The boot time in nanoseconds of the next call of ``schedule()``.
    private func nextTime(now: Duration, waitsForEngine: Bool) -> Int64? {
        var times: [Int64] = []
        var hasQueuedTransfer = false
        for transfer in transfers.values {
            switch transfer.machine.state {
            case .waiting(let reason):
                if let end = reason.end { times.append(end.clampedNanoseconds) }
                if reason == .hostSlots, let change = gate.nextChange(of: transfer.host, now: now) {
                    times.append(change.clampedNanoseconds)
                }
                times.append(transfer.deadline)
            case .queued, .connecting, .receiving:
                hasQueuedTransfer =
                    hasQueuedTransfer || (transfer.machine.state == .queued && !transfer.isUnchecked)
                times.append(transfer.deadline)
            default: break
            }
        }
        if waitsForEngine || hasQueuedTransfer, engine.processID == nil || engine.nextStart > MonotonicTime.now {
            times.append(clock.now() + max(1_000_000, engine.nextStart - MonotonicTime.now))
        }
        if let nextDiskCheck { times.append(nextDiskCheck) }
        // A host that may be probed while all slots are taken is probed when a slot becomes free.
        return times.filter { $0 > clock.now() }.min() ?? (times.isEmpty ? nil : clock.now() + 50_000_000)
    }

    /// The transfers in the order of their creation.
    var sortedTransfers: [Transfer] { transfers.values.sorted { $0.row.id < $1.row.id } }
}

extension WaitingReason {
    /// Whether two reasons are the same, except for the rounding of a time that is computed from the calendar.
    fileprivate func isSameWait(as other: WaitingReason) -> Bool {
        guard case .time(let end) = self, case .time(let otherEnd) = other else { return self == other }
        return end - otherEnd < .seconds(1) && otherEnd - end < .seconds(1)
    }
}
