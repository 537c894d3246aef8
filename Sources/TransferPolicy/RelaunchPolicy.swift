/// The starts of one program by the ledger, and the delays between them.
///
/// Each start without the user doubles a delay that holds back the transfers that the program creates in the
/// background: 60 s, 120 s, 240 s, as Apple's background sessions do. The delay ends when the user opens the program,
/// or when one delay passes in which no transfer is held back.
package struct RelaunchPolicy: Hashable, Sendable {
    /// The first delay, for transfers and for failed starts.
    package static let firstDelay = Duration.seconds(60)
    /// The longest delay for transfers.
    package static let longestDelay = Duration.seconds(4 * 3600)
    /// The time within which a started program must connect.
    package static let connectTimeout = Duration.seconds(20)
    /// The failed starts in a row after which only the user starts the program.
    package static let failedStartLimit = 5

    /// What the ledger does when a program that is not running has events.
    package enum Decision: Hashable, Sendable {
        case start
        /// The next attempt comes at this boot time.
        case wait(until: Duration)
        /// The program is started only by the user, because it failed to start or the user force-quit it.
        case waitForUser
    }

    /// The delay for transfers that the program creates in the background; zero before the first start.
    package private(set) var delay = Duration.zero
    /// The boot time at which the current delay ends.
    package private(set) var delayEnd = Duration.zero
    /// Whether the current delay has held back a transfer.
    package private(set) var isDelayUsed = false
    /// The starts in a row after which the program acknowledged no event.
    package private(set) var failedStartCount = 0
    /// The boot time of the next start after a failed start.
    package private(set) var nextStart = Duration.zero
    /// Whether the user has force-quit the program.
    package private(set) var isForceQuit = false

    package init() {}

    /// Creates the policy of a stored program. After a restart of the machine, pass the times in the new boot time.
    package init(delay: Duration, delayEnd: Duration, failedStartCount: Int, isForceQuit: Bool) {
        self.delay = min(max(delay, .zero), Self.longestDelay)
        self.delayEnd = delayEnd
        self.failedStartCount = max(0, failedStartCount)
        self.isForceQuit = isForceQuit
        // Whether a transfer was held back is not stored; the longer delay is the safe assumption.
        isDelayUsed = true
    }

    /// Returns whether the program can be started now.
    package func decision(now: Duration) -> Decision {
        if isForceQuit || failedStartCount >= Self.failedStartLimit { return .waitForUser }
        return now < nextStart ? .wait(until: nextStart) : .start
    }

    /// Records a start of the program by the ledger, and doubles the delay.
    package mutating func handleStart(now: Duration) {
        handleTime(now: now)
        delay = delay == .zero ? Self.firstDelay : min(delay * 2, Self.longestDelay)
        delayEnd = now + delay
        isDelayUsed = false
    }

    /// Records that the started program has acknowledged events.
    package mutating func handleProgress() {
        failedStartCount = 0
        nextStart = .zero
    }

    /// Records that the started program did not connect in time, or ended without acknowledging an event: the next
    /// start waits 60 s, 120 s, 240 s, 480 s.
    package mutating func handleFailedStart(now: Duration) {
        nextStart = now + Self.firstDelay * (1 << min(failedStartCount, 10))
        failedStartCount += 1
    }

    /// Returns the end of the delay for a transfer that the program creates in the background, or nil if the transfer
    /// need not wait. Records the use of the delay.
    package mutating func holdTransfer(now: Duration) -> Duration? {
        handleTime(now: now)
        guard now < delayEnd else { return nil }
        isDelayUsed = true
        return delayEnd
    }

    /// Forgets all delays, because the user has opened the program.
    package mutating func handleOpening() { self = RelaunchPolicy() }

    /// Records that the user has closed the program for good. It is not started until the user opens it.
    package mutating func handleForceQuit() { isForceQuit = true }

    /// Forgets the delay after a period of its length in which it held back no transfer.
    private mutating func handleTime(now: Duration) {
        let unusedPeriodEnd = isDelayUsed ? delayEnd + delay : delayEnd
        guard delay > .zero, now >= unusedPeriodEnd else { return }
        delay = .zero
        isDelayUsed = false
    }
}
