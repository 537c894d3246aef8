import CompositorProtocol

/// Decides when a program is ended because memory stays critically short, and by which means. A pure value; host times
/// are nanoseconds.
///
/// The program is asked to exit; after ``patience`` it receives SIGTERM, and after the same time SIGKILL. At most one
/// program is ended within ``interval``.
struct ProgramEnding: Equatable {
    /// The time for which memory must have been critically short.
    static let settlingTime: Int64 = 10_000_000_000
    /// The time that a program has to exit.
    static let patience: Int64 = 2_000_000_000
    /// The least time between the ends of two programs.
    static let interval: Int64 = 15_000_000_000
    /// The growth of the available memory, as a fraction of what was available, with which warnings count as
    /// successful.
    private static let sufficientGrowth = 0.1

    /// What must be done.
    enum Action: Equatable {
        /// Choose a program and report it with ``begin(_:now:)``; if there is none, call ``postpone(now:)``.
        case choose
        /// Send SIGTERM to the program with this connection, which has not exited.
        case terminate(UInt64)
        /// Send SIGKILL to it.
        case kill(UInt64)
    }

    /// The program that is being ended.
    private struct Victim: Equatable {
        let id: UInt64
        /// The host time at which it was asked or terminated.
        var time: Int64
        var isTerminated = false
    }

    /// The host time since which memory has been critically short, and the fraction that was available then; nil if it
    /// is not.
    private var critical: (since: Int64, available: Double)?
    private var victim: Victim?
    /// The host time at which the last program was asked to exit, or none was found.
    private var lastEnd: Int64?

    static func == (one: Self, other: Self) -> Bool {
        one.critical?.since == other.critical?.since && one.critical?.available == other.critical?.available
            && one.victim == other.victim && one.lastEnd == other.lastEnd
    }

    /// Whether a program is being ended.
    var isEnding: Bool { victim != nil }

    /// Evaluates the level of memory pressure and the fraction of memory that is available.
    mutating func update(_ level: MemoryPressureLevel, available: Double, now: Int64) -> Action? {
        guard level == .critical else {
            // The shortage is over: a program that was asked is not forced to exit.
            (critical, victim) = (nil, nil)
            return nil
        }
        if let critical, available >= critical.available * (1 + Self.sufficientGrowth) + 0.001 {
            // Warnings have helped: give programs more time.
            self.critical = (now, available)
        }
        let critical = critical ?? (now, available)
        self.critical = critical
        if var victim {
            guard now - victim.time >= Self.patience else { return nil }
            if victim.isTerminated {
                self.victim = nil
                return .kill(victim.id)
            }
            (victim.time, victim.isTerminated) = (now, true)
            self.victim = victim
            return .terminate(victim.id)
        }
        guard now - critical.since >= Self.settlingTime, lastEnd.map({ now - $0 >= Self.interval }) ?? true else {
            return nil
        }
        return .choose
    }

    /// Records that a program was asked to exit.
    mutating func begin(_ id: UInt64, now: Int64) { (victim, lastEnd) = (Victim(id: id, time: now), now) }

    /// Records that there is no program to end at present.
    mutating func postpone(now: Int64) { lastEnd = now }

    /// Records that a program has disconnected.
    mutating func programDisconnected(_ id: UInt64) { if victim?.id == id { victim = nil } }
}
