import FetchPolicy
import SystemCalls
import TransferPolicy

extension WakeService {
    /// The clocks and the conditions at one moment, whose changes matter to fetches.
    struct Look {
        /// The time for which the machine was suspended, and the calendar time at the boot, in nanoseconds.
        var suspended: Int64, bootWall: Int64
        var utcOffset: Int
        var day: LocalDay
        var conditions = MachineConditions()
        var hasRunningTransfers = false

        /// Reads the clocks.
        init(_ clock: ServiceClock) {
            let time = clock.fetchTime
            (suspended, bootWall) = (clock.now() - clock.monotonic(), clock.wall() - clock.now())
            (utcOffset, day) = (time.utcOffset, time.day)
        }
    }

    /// The suspension that is noticed, and the change of the calendar clock that is no correction, in nanoseconds.
    private static let noticedSuspension = 30 * MonotonicTime.nanosecondsPerSecond
    private static let noticedShift = 2 * MonotonicTime.nanosecondsPerSecond

    /// Starts the fetches and notifications that are due, and ends those whose time limit has passed.
    ///
    /// - Returns: The boot time of the next call in nanoseconds; nil if none is needed.
    func schedule() -> Int64? {
        noticeChanges()
        if let time = fetches.timer, time <= clock.time { send(.timer) }
        for wake in wakes {
            checkTime(of: wake)
            // The end is nil if the program has said hello again and has exited before it was sent the wake.
            if !wake.isSent, wake.process == nil, clock.time >= wake.program.client.reconnectionEnd ?? .zero {
                start(wake)
            }
        }
        var times = programs.values.compactMap { deliverDueNotifications(of: $0) }
        times += [fetches.timer, sessionWakes.schedule()].compactMap { $0 }
        let monotonic = Duration.nanoseconds(clock.monotonic())
        for wake in wakes {
            if let deadline = wake.machine.deadline { times.append(clock.time + (deadline - monotonic)) }
            if let end = wake.program.client.reconnectionEnd, !wake.isSent, wake.process == nil { times.append(end) }
        }
        return times.min()?.clampedNanoseconds
    }

    /// Compares the clocks and conditions with those of the last call.
    private func noticeChanges() {
        var look = Look(clock)
        look.conditions = sessions.transfers.conditions
        look.hasRunningTransfers = !sessions.transfers.runs.isEmpty
        defer { lastLook = look }
        if look.suspended - lastLook.suspended > Self.noticedSuspension {
            send(.suspended)
            send(.resumed)
        }
        let shift = look.bootWall.subtractingReportingOverflow(lastLook.bootWall).partialValue
        if shift.magnitude > UInt64(Self.noticedShift) || look.utcOffset != lastLook.utcOffset { send(.clockChanged) }
        let isOnline = look.conditions.connectivity == .full, wasOnline = lastLook.conditions.connectivity == .full
        if isOnline != wasOnline || look.conditions.isMetered != lastLook.conditions.isMetered {
            send(.network(isOnline: isOnline, isMetered: look.conditions.isMetered))
        }
        // A fetch along with a transfer costs little.
        if look.hasRunningTransfers, !lastLook.hasRunningTransfers { send(.bytesMoved) }
        // The days on which the machine was used belong to the habits.
        if look.day != lastLook.day { saveAll() }
    }

    /// Delivers the waiting notifications of a program if a wake is free.
    ///
    /// - Returns: The boot time of the next attempt; nil if none is planned.
    private func deliverDueNotifications(of program: WakeProgram) -> Duration? {
        let now = clock.time
        guard let time = program.queue.nextDelivery(now: now) else { return nil }
        switch startDecision(for: program) {
        case .start: break
        case .wait(let start): if start > now { return max(time, start) }
        case .waitForUser: return nil
        }
        guard time <= now else { return time }
        var queue = program.queue
        let messages = queue.takeDue(now: now)
        deliver(messages, to: program, queue: queue)
        return program.queue.nextDelivery(now: now)
    }

    /// Returns whether a program can be woken now: it runs, or may be started.
    func startDecision(for program: WakeProgram) -> RelaunchPolicy.Decision {
        if program.connection != nil { return .start }
        if program.client.start != nil { return .start }
        if program.client.row.executable.isEmpty { return .waitForUser }
        return program.client.relaunch.decision(now: clock.time)
    }
}
