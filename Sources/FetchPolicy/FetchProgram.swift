/// What is known about one program, from which its next fetch follows.
package struct FetchProgram: Hashable, Sendable {
    /// The time away from a program after which its next appearance counts as an opening.
    package static let leastAbsence = Duration.seconds(900)

    package var settings: FetchSettings
    package private(set) var history: UsageHistory
    package private(set) var fetchYield: FetchYield
    package private(set) var peakYields = PeakYields()
    package private(set) var budget = FetchBudget()
    /// The boot time of the start of the last fetch.
    package private(set) var lastFetch: Duration?
    /// The boot time of the end of the last failed fetch.
    package private(set) var lastFailure: Duration?
    /// The boot time at which the program was last in the foreground.
    package private(set) var lastUse: Duration?
    package private(set) var isInForeground = false
    package private(set) var isForceQuit = false
    /// Whether a fetch of the program runs.
    package private(set) var isFetching = false

    package init(settings: FetchSettings) {
        self.settings = settings
        history = UsageHistory()
        fetchYield = FetchYield()
    }

    /// What is stored about a program between runs of the ledger.
    package struct Record: Hashable, Sendable {
        package var history = UsageHistory()
        package var fetchYield = FetchYield()
        package var peakYields = PeakYields()
        package var budget = FetchBudget()
        /// The boot times of the last fetch, the last failure and the last use. Times before the start of the machine
        /// are negative.
        package var lastFetch: Duration?, lastFailure: Duration?, lastUse: Duration?

        package init() {}
    }

    /// Creates a stored program after a start of the ledger. Times in the future count as `now`, so that the minimum
    /// interval is never broken.
    package init(settings: FetchSettings, record: Record, isForceQuit: Bool, now: Duration) {
        self.settings = settings
        self.isForceQuit = isForceQuit
        (history, fetchYield, peakYields) = (record.history, record.fetchYield, record.peakYields)
        budget = record.budget
        lastFetch = record.lastFetch.map { min($0, now) }
        lastFailure = record.lastFailure.map { min($0, now) }
        lastUse = record.lastUse.map { min($0, now) }
    }

    /// What is stored about the program.
    package var record: Record {
        var record = Record()
        (record.history, record.fetchYield, record.peakYields) = (history, fetchYield, peakYields)
        record.budget = budget
        (record.lastFetch, record.lastFailure, record.lastUse) = (lastFetch, lastFailure, lastUse)
        return record
    }

    /// How recently the user used the program.
    package func bucket(now: Duration) -> UsageBucket {
        UsageBucket(timeSinceUse: isInForeground ? .zero : lastUse.map { max(now - $0, .seconds(1)) })
    }

    /// Records that the program has come to the foreground. This ends the effect of a force quit.
    /// - Parameter isOpening: false if the program was in the foreground already when the ledger was started.
    package mutating func handleForeground(at time: FetchTime, isOpening: Bool = true) {
        isForceQuit = false
        guard !isInForeground else { return }
        isInForeground = true
        let isOpening = isOpening && lastUse.map { time.bootTime - $0 >= Self.leastAbsence } ?? true
        lastUse = time.bootTime
        if isOpening, settings.isLearning { history.handleOpening(at: time) }
    }

    /// Records that the program has left the foreground.
    package mutating func handleBackground(at time: FetchTime) {
        guard isInForeground else { return }
        isInForeground = false
        lastUse = time.bootTime
    }

    /// Records that the user has closed the program for good.
    package mutating func handleForceQuit() {
        isInForeground = false
        isForceQuit = true
    }

    /// Records that the machine is in use.
    package mutating func handleMachineUse(at time: FetchTime) {
        if settings.isLearning { history.handleUse(at: time) }
    }

    /// Forgets what was learnt about the program.
    package mutating func forget() {
        history = UsageHistory()
        peakYields = PeakYields()
    }

    /// Records the start of a fetch.
    package mutating func handleFetchStart(now: Duration) {
        lastFetch = now
        isFetching = true
        budget.handleStart(now: now)
    }

    /// Records the end of a fetch.
    package mutating func handleFetchEnd(
        _ outcome: FetchOutcome, reason: FetchReason, startTime: Duration, now: Duration
    ) {
        isFetching = false
        fetchYield.handle(outcome)
        budget.handleEnd(outcome, startTime: startTime)
        if case .peak(let target) = reason { peakYields.handle(outcome.result, target: target) }
        lastFailure = fetchYield.failureCount > 0 ? now : nil
    }

    /// Permits a new attempt after failed fetches, because the network has returned.
    package mutating func handleNetworkReturn() { lastFailure = nil }
}
