extension FetchProgram {
    /// The state of the machine that matters to all programs.
    package struct Machine: Hashable, Sendable {
        package var isOnline = true
        package var isMetered = false
        /// Whether a person uses the machine.
        package var isInUse = true

        package init() {}
    }

    /// The time before a peak's target at which its fetch may start.
    package static let peakLead = Duration.seconds(1800)
    /// The interval while too little is known about the use of the program.
    package static let coldStartInterval = Duration.seconds(4 * 3600)
    /// The expected openings within an hour from which on the full frequency applies. Below, the interval grows in
    /// proportion.
    package static let busyHourChance = 0.2
    /// The least length of the window of a fetch between peaks, in which it can share a wake with others.
    private static let leastSlack = Duration.seconds(900)
    /// The length of the window of a fetch while too little is known about the use of the program.
    private static let coldStartSlack = Duration.seconds(1800)
    /// The time that is searched for a peak.
    private static let searchDays = 8

    /// Returns the next fetch of the program, or the reason why there is none.
    package func forecast(at time: FetchTime, machine: Machine) -> FetchForecast {
        guard settings.declaresMode else { return .none(.modeNotDeclared) }
        guard let minimum = settings.minimumInterval else { return .none(.intervalNever) }
        if isForceQuit { return .none(.forceQuit) }
        if isInForeground { return .none(.inForeground) }
        if isFetching { return .none(.isRunning) }
        guard machine.isOnline else { return .none(.offline) }
        let now = time.bootTime
        let intervalEnd = lastFetch.map { $0 + minimum } ?? .zero
        let budgetTime = budget.nextPermittedTime(now: now, bucket: bucket(now: now), isMetered: machine.isMetered)
        let start = max(now, intervalEnd, budgetTime)
        let constraint: FetchConstraint? = start == now ? nil : start == intervalEnd ? .minimumInterval : .budget
        let interval = fetchYield.interval(minimum: minimum)
        let plans =
            if let lastFailure {
                [retryPlan(start: start, lastFailure: lastFailure)]
            } else if !history.isTooShort {
                [peakPlan(start: start, at: time), intervalPlan(start: start, interval: interval, at: time)]
            } else if machine.isInUse {
                [coldStartPlan(start: start, minimum: minimum)]
            } else {
                [FetchPlan?]()
            }
        guard let plan = plans.compactMap({ $0 }).min(by: { $0.window.latest < $1.window.latest }) else {
            return .none(history.isTooShort && !machine.isInUse ? .machineUnused : .noOpeningExpected)
        }
        let isMoved = plan.window.earliest == start
        return .planned(FetchPlan(window: plan.window, reason: plan.reason, constraint: isMoved ? constraint : nil))
    }

    // The windows of these plans begin at fixed times, not at the time of the forecast: a forecast that is made again
    // must not move a fetch.

    private func retryPlan(start: Duration, lastFailure: Duration) -> FetchPlan {
        let retryTime = lastFailure + fetchYield.failureDelay
        return FetchPlan(
            window: FetchWindow(earliest: max(start, retryTime), latest: retryTime + Self.leastSlack / 2),
            reason: .retry(failureCount: fetchYield.failureCount))
    }

    private func coldStartPlan(start: Duration, minimum: Duration) -> FetchPlan {
        let interval = max(minimum, Self.coldStartInterval)
        let dueTime = lastFetch.map { $0 + interval } ?? lastUse ?? .zero
        return FetchPlan(
            window: FetchWindow(earliest: max(start, dueTime), latest: dueTime + Self.coldStartSlack),
            reason: .coldStart(interval: interval))
    }

    /// Returns the fetch before the next peak.
    /// - Parameter start: the first time at which a fetch is permitted.
    private func peakPlan(start: Duration, at time: FetchTime) -> FetchPlan? {
        for dayCount in 0..<Self.searchDays {
            let day = time.day.advanced(by: dayCount)
            for peak in history.peaks(on: day) {
                if let plan = plan(for: peak, on: day, start: start, at: time) { return plan }
            }
        }
        return nil
    }

    private func plan(for peak: UsagePeak, on day: LocalDay, start: Duration, at time: FetchTime) -> FetchPlan? {
        let targetSeconds = day.start + Int64(peak.targetSlot) * FetchTime.secondsPerSlot
        let target = time.bootTime(ofLocalSeconds: targetSeconds)
        let earliest = target - Self.peakLead
        let latest = max(earliest, target - fetchYield.lead)
        if let lastFetch, lastFetch >= earliest { return nil }
        if peakYields.skipsPeak(target: targetSeconds) { return nil }
        let reason = FetchReason.peak(target: targetSeconds)
        if start <= latest {
            return FetchPlan(window: FetchWindow(earliest: max(start, earliest), latest: latest), reason: reason)
        }
        // The machine slept, was offline or had no budget during the window: the fetch is useful until the peak ends.
        let slotsAfterTarget = (peak.firstSlot + peak.slotCount - peak.targetSlot + 96) % 96
        let end = target + .seconds(Int64(slotsAfterTarget) * FetchTime.secondsPerSlot)
        guard start < end else { return nil }
        return FetchPlan(window: FetchWindow(earliest: start, latest: start), reason: reason)
    }

    /// Returns the next fetch between peaks: after the interval in busy hours, later in hours in which the program is
    /// seldom opened, and never in hours in which it is not opened.
    private func intervalPlan(start: Duration, interval: Duration, at time: FetchTime) -> FetchPlan? {
        let last = lastFetch ?? (lastUse ?? .zero) - interval
        let slack = max(interval / 2, Self.leastSlack)
        let firstTime = last + interval
        // The slots whose windows have passed are left out.
        let passedSeconds = max(.zero, start - slack - firstTime).components.seconds
        let passedSlots = (passedSeconds + FetchTime.secondsPerSlot - 1) / FetchTime.secondsPerSlot
        for slotCount in passedSlots..<passedSlots + Int64(FetchTime.slotsPerDay) {
            let candidate = firstTime + .seconds(slotCount * FetchTime.secondsPerSlot)
            let seconds = time.localSeconds(ofBootTime: candidate)
            let day = LocalDay(containing: seconds)
            let chance = history.hourChance(on: day, slot: Int((seconds - day.start) / FetchTime.secondsPerSlot))
            // After years without use, a chance is so small that the product is no valid duration.
            let delay = (interval / .seconds(1)) * max(1, Self.busyHourChance / chance)
            guard chance > 0, (candidate - last) / .seconds(1) >= delay else { continue }
            return FetchPlan(
                window: FetchWindow(earliest: max(start, candidate), latest: candidate + slack),
                reason: .interval(interval))
        }
        return nil
    }
}
