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

    /// Creates a stored program after a start of the ledger.
    /// - Parameters:
    ///   - lastFetchWallSeconds: the wall-clock time of the last fetch. A time in the future counts as now, so that the
    ///     minimum interval is never broken.
    ///   - lastUseWallSeconds: the wall-clock time at which the program was last in the foreground.
    package init(
        settings: FetchSettings, history: UsageHistory, fetchYield: FetchYield, lastFetchWallSeconds: Int64?,
        lastUseWallSeconds: Int64?, isForceQuit: Bool, at time: FetchTime
    ) {
        self.settings = settings
        self.history = history
        self.fetchYield = fetchYield
        self.isForceQuit = isForceQuit
        lastFetch = lastFetchWallSeconds.map { Self.bootTime(ofWallSeconds: $0, at: time) }
        lastUse = lastUseWallSeconds.map { Self.bootTime(ofWallSeconds: $0, at: time) }
    }

    /// Returns the boot time of an earlier wall-clock time, which is negative before the boot. A time in the future
    /// counts as now.
    private static func bootTime(ofWallSeconds seconds: Int64, at time: FetchTime) -> Duration {
        let (age, overflow) = time.wallSeconds.subtractingReportingOverflow(seconds)
        return overflow || age < 0 ? time.bootTime : time.bootTime - .seconds(age)
    }

    /// How recently the user used the program.
    package func bucket(now: Duration) -> UsageBucket {
        UsageBucket(timeSinceUse: isInForeground ? .zero : lastUse.map { max(now - $0, .seconds(1)) })
    }

    /// Records that the program has come to the foreground. This ends the effect of a force quit.
    package mutating func handleForeground(at time: FetchTime) {
        isForceQuit = false
        guard !isInForeground else { return }
        isInForeground = true
        let isOpening = lastUse.map { time.bootTime - $0 >= Self.leastAbsence } ?? true
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
