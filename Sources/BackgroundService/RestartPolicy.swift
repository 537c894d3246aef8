import Glibc

/// Decides whether the service is started again after its process has ended: a value.
///
/// A service that was killed or has crashed is started again, because transfers would otherwise wait for the next start
/// of a program. A service that keeps ending soon after its start, or that cannot be started, is started less and less
/// often, and then no more. A service that finds no space for its record is started again until there is some.
package struct RestartPolicy: Hashable, Sendable {
    /// What follows the end of the service.
    package enum Action: Hashable, Sendable {
        /// Start the service after a delay in nanoseconds.
        case restart(delay: Int64)
        /// Start it no more.
        case leave
    }

    /// The time after which the service counts as running well, in nanoseconds.
    package static let stableTime: Int64 = 10_000_000_000
    /// The most starts in succession of a service that ends soon or cannot be started.
    package static let restartLimit = 8
    /// The exit status of a service that has found no space for its record (`EX_TEMPFAIL`).
    package static let diskFullStatus: Int32 = 75
    /// The time between two starts of a service that finds no space, in nanoseconds.
    static let diskFullDelay: Int64 = 10_000_000_000
    /// The delay before the second start in succession, in nanoseconds. It doubles with each start.
    private static let firstDelay: Int64 = 500_000_000
    /// The signals by which a user or the system ends the service on purpose.
    private static let intendedSignals = [SIGTERM, SIGINT, SIGHUP, SIGQUIT]

    /// The number of starts in succession after which the service ended soon, or did not run.
    private var restartCount = 0

    package init() {}

    /// Decides what follows the exit of the service.
    ///
    /// - Parameter isFirstStart: Whether a program has waited for this start. It knows the reason then, and starts the
    ///   service itself when it needs it.
    package func action(afterExitWith status: Int32, isFirstStart: Bool) -> Action {
        status == Self.diskFullStatus && !isFirstStart ? .restart(delay: Self.diskFullDelay) : .leave
    }

    /// Decides what follows the end of the service by a signal.
    ///
    /// - Parameters:
    ///   - signal: The signal that has ended the process.
    ///   - duration: The time for which the process has run, in nanoseconds.
    package mutating func action(afterEndBy signal: Int32, ranFor duration: Int64) -> Action {
        guard !Self.intendedSignals.contains(signal) else { return .leave }
        if duration >= Self.stableTime { restartCount = 0 }
        return countRestart(minimumDelay: 0)
    }

    /// Decides what follows a failure to start the process of the service, for example because memory is short.
    ///
    /// - Parameter isFirstStart: Whether a program has waited for this start, as for an exit of the service.
    package mutating func actionAfterFailedStart(isFirstStart: Bool) -> Action {
        isFirstStart ? .leave : countRestart(minimumDelay: Self.firstDelay)
    }

    /// Counts one more start in succession, and returns it with its delay in nanoseconds.
    private mutating func countRestart(minimumDelay: Int64) -> Action {
        guard restartCount < Self.restartLimit else { return .leave }
        restartCount += 1
        let delay = restartCount == 1 ? 0 : Self.firstDelay << (restartCount - 2)
        return .restart(delay: max(delay, minimumDelay))
    }
}
