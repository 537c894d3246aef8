/// The schedule of the background fetches of all programs.
///
/// The scheduler chooses the times at which the machine wakes for several fetches at once, and the order of the
/// fetches. ``WakeMachine`` limits each of them.
package struct FetchScheduler: Hashable, Sendable {
    /// The most fetches that run at the same time.
    package static let concurrencyLimit = 2

    /// The number of a program in the ledger's database.
    package typealias ProgramID = Int64

    package enum Event: Hashable, Sendable {
        case foreground(ProgramID)
        /// A program was in the foreground already when the ledger was started; this is no opening.
        case stillForeground(ProgramID)
        case background(ProgramID)
        case forceQuit(ProgramID)
        /// A fetch has ended.
        case completed(token: Int, FetchOutcome)
        /// Whether a person uses the machine has changed.
        case machineUse(Bool)
        case network(isOnline: Bool, isMetered: Bool)
        case suspended
        case resumed
        /// The wall clock or the time zone was set.
        case clockChanged
        /// The user requests a fetch now. Neither the minimum interval nor the budget delays it.
        case requested(ProgramID)
        /// Bytes move for another reason, so that a fetch costs little.
        case bytesMoved
        case timer
    }

    package enum Action: Hashable, Sendable {
        /// Start a fetch; the token identifies its completion.
        case start(token: Int, ProgramID, FetchReason)
        /// Send ``Event/timer`` at this boot time. A nil time cancels the timer.
        case setTimer(Duration?)
    }

    private struct Run: Hashable, Sendable {
        let program: ProgramID
        let reason: FetchReason
        let startTime: Duration
    }

    package private(set) var programs: [ProgramID: FetchProgram] = [:]
    package private(set) var machine = FetchProgram.Machine()
    /// The delay after a resume or a return of the network, which differs between machines.
    private let returnDelay: Duration
    private var returnDelayEnd = Duration.zero
    private var isSuspended = false
    private var lastUsedDay: LocalDay?
    private var tokens = CompletionTokens()
    private var runs: [Int: Run] = [:]
    /// The fetches of the current wake that wait for a free place, most useful last.
    private var queue: [ProgramID] = []
    /// The forecasts of the programs that have not changed since.
    private var forecasts: [ProgramID: FetchForecast] = [:]

    /// Creates a scheduler.
    /// - Parameter spread: a random number of 0..<1, one for each boot.
    package init(spread: Double) { returnDelay = .seconds(30 + 60 * min(max(spread, 0), 1)) }

    /// Adds a program, or replaces what is known about it.
    package mutating func add(_ program: FetchProgram, id: ProgramID) {
        programs[id] = program
        forecasts[id] = nil
    }

    /// Removes a program. A fetch of the program that runs continues, and its result is ignored.
    package mutating func remove(_ id: ProgramID) {
        programs[id] = nil
        forecasts[id] = nil
        queue.removeAll { $0 == id }
    }

    /// Changes the settings of a program.
    package mutating func configure(_ id: ProgramID, _ settings: FetchSettings) {
        programs[id]?.settings = settings
        forecasts[id] = nil
    }

    /// Forgets what was learnt about a program.
    package mutating func forget(_ id: ProgramID) {
        programs[id]?.forget()
        forecasts[id] = nil
    }

    /// Returns the next fetch of a program, or the reason why there is none.
    package func forecast(for id: ProgramID, at time: FetchTime) -> FetchForecast? {
        forecasts[id] ?? programs[id]?.forecast(at: time, machine: machine)
    }

    /// Handles an event and returns the actions, in order.
    package mutating func handle(_ event: Event, at time: FetchTime) -> [Action] {
        record(event, at: time)
        noteUse(at: time)
        guard !isSuspended else { return [.setTimer(nil)] }
        if case .requested(let id) = event, let program = programs[id], !program.isFetching {
            return [start(id, .requested, now: time.bootTime), .setTimer(nextTimer(at: time))]
        }
        let starts = startDueFetches(isRadioActive: Self.movesBytes(event) || !runs.isEmpty, at: time)
        return starts + [.setTimer(nextTimer(at: time))]
    }

    private mutating func record(_ event: Event, at time: FetchTime) {
        switch event {
        case .foreground(let id): change(id) { $0.handleForeground(at: time) }
        case .stillForeground(let id): change(id) { $0.handleForeground(at: time, isOpening: false) }
        case .background(let id): change(id) { $0.handleBackground(at: time) }
        case .forceQuit(let id): change(id) { $0.handleForceQuit() }
        case .completed(let token, let outcome):
            guard tokens.complete(token), let run = runs.removeValue(forKey: token) else { return }
            change(run.program) {
                $0.handleFetchEnd(outcome, reason: run.reason, startTime: run.startTime, now: time.bootTime)
            }
        case .machineUse(let isInUse): setMachine { $0.isInUse = isInUse }
        case .network(let isOnline, let isMetered):
            if isOnline, !machine.isOnline {
                returnDelayEnd = time.bootTime + returnDelay
                for id in programs.keys { change(id) { $0.handleNetworkReturn() } }
            }
            setMachine {
                $0.isOnline = isOnline
                $0.isMetered = isMetered
            }
        case .suspended: isSuspended = true
        case .resumed:
            guard isSuspended else { return }
            isSuspended = false
            returnDelayEnd = time.bootTime + returnDelay
            forecasts = [:]
        case .clockChanged: forecasts = [:]
        case .requested, .bytesMoved, .timer: break
        }
    }

    /// Begins a new day for all programs when the machine is used.
    private mutating func noteUse(at time: FetchTime) {
        guard machine.isInUse, !isSuspended, lastUsedDay != time.day else { return }
        lastUsedDay = time.day
        for id in programs.keys { change(id) { $0.handleMachineUse(at: time) } }
    }

    private mutating func change(_ id: ProgramID, _ change: (inout FetchProgram) -> Void) {
        guard programs[id] != nil else { return }
        change(&programs[id, default: FetchProgram(settings: FetchSettings())])
        forecasts[id] = nil
    }

    private mutating func setMachine(_ change: (inout FetchProgram.Machine) -> Void) {
        let old = machine
        change(&machine)
        if machine != old { forecasts = [:] }
    }

    /// Whether an event means that bytes move anyway, so that every fetch whose window has begun runs.
    private static func movesBytes(_ event: Event) -> Bool {
        switch event {
        case .foreground, .completed, .bytesMoved: true
        default: false
        }
    }

    /// Starts the fetches of this wake.
    private mutating func startDueFetches(isRadioActive: Bool, at time: FetchTime) -> [Action] {
        let now = time.bootTime
        guard now >= returnDelayEnd else { return [] }
        refreshForecasts(at: time)
        let plans = forecasts.compactMapValues(\.plan)
        if isRadioActive || plans.values.contains(where: { $0.window.latest <= now }) {
            queue = plans.filter { $0.value.window.earliest <= now }.keys.sorted { first, second in
                let usefulness = (
                    programs[first]?.fetchYield.usefulness ?? 0, programs[second]?.fetchYield.usefulness ?? 0
                )
                return usefulness.0 == usefulness.1 ? first > second : usefulness.0 < usefulness.1
            }
        }
        var actions: [Action] = []
        while runs.count < Self.concurrencyLimit, let id = queue.popLast() {
            guard let plan = plans[id] else { continue }
            actions.append(start(id, plan.reason, now: now))
        }
        return actions
    }

    /// Starts a fetch.
    private mutating func start(_ id: ProgramID, _ reason: FetchReason, now: Duration) -> Action {
        let token = tokens.issue()
        runs[token] = Run(program: id, reason: reason, startTime: now)
        change(id) { $0.handleFetchStart(now: now) }
        return .start(token: token, id, reason)
    }

    private mutating func refreshForecasts(at time: FetchTime) {
        for (id, program) in programs where forecasts[id] == nil {
            forecasts[id] = program.forecast(at: time, machine: machine)
        }
    }

    /// Returns the time of the next wake, or nil if no fetch is planned.
    private mutating func nextTimer(at time: FetchTime) -> Duration? {
        refreshForecasts(at: time)
        guard let point = forecasts.values.compactMap({ $0.plan?.window.latest }).min() else { return nil }
        // While all places are taken, the end of a fetch starts the next one.
        if point <= time.bootTime, runs.count >= Self.concurrencyLimit { return nil }
        return max(point, returnDelayEnd)
    }
}
