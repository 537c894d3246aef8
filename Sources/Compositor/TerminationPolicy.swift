import CompositorProtocol

/// Decides when a program is ended because memory stays critically short, and by which means. A pure value; host times
/// are in nanoseconds.
///
/// The program is requested to exit. If it has not exited after ``exitTimeout``, it receives SIGTERM; after another
/// ``exitTimeout`` it receives SIGKILL. At most one program is ended within ``interval``.
struct TerminationPolicy: Equatable {
    /// The time, in nanoseconds, for which memory must have been critically short before a program is ended.
    static let shortageTime: Int64 = 10_000_000_000
    /// The time that a program has to exit after the request, and again after SIGTERM, in nanoseconds.
    static let exitTimeout: Int64 = 2_000_000_000
    /// The shortest time between two attempts to end a program, in nanoseconds.
    static let interval: Int64 = 15_000_000_000
    /// The relative growth of the available memory from which earlier warnings to programs count as successful.
    private static let sufficientGrowth = 0.1

    /// The next step to end a program.
    enum Action: Equatable {
        /// Choose a program, request it to exit and call ``recordExitRequest(to:now:)``; if there is no program to end,
        /// call ``postpone(now:)``.
        case chooseProgram
        /// Send SIGTERM to the program with this connection, which has not exited.
        case terminate(UInt64)
        /// Send SIGKILL to the program with this connection, which has not exited after SIGTERM.
        case kill(UInt64)
    }

    /// The program that is being ended.
    private struct ProgramBeingEnded: Equatable {
        /// The number of the program's connection.
        let id: UInt64
        /// The host time at which the program was requested to exit, or at which it received SIGTERM.
        var time: Int64
        /// Whether the program has received SIGTERM.
        var isTerminated = false
    }

    /// The host time since which memory has been critically short without improvement, and the fraction of memory that
    /// was available then; nil while memory is not critically short.
    private var shortage: (since: Int64, available: Double)?
    /// The program that is being ended; nil if there is none.
    private var programBeingEnded: ProgramBeingEnded?
    /// The host time of the last attempt: a program was requested to exit, or no program to end was found. Nil before.
    private var lastAttemptTime: Int64?

    static func == (one: Self, other: Self) -> Bool {
        one.shortage?.since == other.shortage?.since && one.shortage?.available == other.shortage?.available
            && one.programBeingEnded == other.programBeingEnded && one.lastAttemptTime == other.lastAttemptTime
    }

    /// Whether a program is being ended.
    var isEnding: Bool { programBeingEnded != nil }

    /// Returns the next step at this level of memory pressure; nil for none. `available` is the fraction of memory that
    /// is available.
    mutating func update(_ level: MemoryPressureLevel, available: Double, now: Int64) -> Action? {
        guard level == .critical else {
            // The shortage is over: a program that was requested to exit may continue.
            (shortage, programBeingEnded) = (nil, nil)
            return nil
        }
        if let shortage, available >= shortage.available * (1 + Self.sufficientGrowth) + 0.001 {
            // Warnings have helped: give programs more time.
            self.shortage = (now, available)
        }
        let shortage = shortage ?? (now, available)
        self.shortage = shortage
        if var programBeingEnded {
            guard now - programBeingEnded.time >= Self.exitTimeout else { return nil }
            if programBeingEnded.isTerminated {
                self.programBeingEnded = nil
                return .kill(programBeingEnded.id)
            }
            (programBeingEnded.time, programBeingEnded.isTerminated) = (now, true)
            self.programBeingEnded = programBeingEnded
            return .terminate(programBeingEnded.id)
        }
        guard now - shortage.since >= Self.shortageTime, lastAttemptTime.map({ now - $0 >= Self.interval }) ?? true
        else {
            return nil
        }
        return .chooseProgram
    }

    /// Records that a program was requested to exit.
    mutating func recordExitRequest(to id: UInt64, now: Int64) {
        (programBeingEnded, lastAttemptTime) = (ProgramBeingEnded(id: id, time: now), now)
    }

    /// Records that there is no program to end at present.
    mutating func postpone(now: Int64) { lastAttemptTime = now }

    /// Records that a program has disconnected.
    mutating func recordDisconnection(of id: UInt64) { if programBeingEnded?.id == id { programBeingEnded = nil } }
}
