/// The choice of the transfers that start.
///
/// Programs take turns. Within a program, the transfer with the highest priority starts first. Among equals, the
/// transfer with fewer failures since its last progress starts first, and then the older one. A transfer from a slow
/// server holds a slot until it fails; many of them thus keep a new transfer waiting for one attempt at most.
package struct AdmissionPolicy: Hashable, Sendable {
    /// The limits on transfers that run at the same time. They can change while transfers run.
    package struct Limits: Hashable, Sendable {
        package var total = 8
        package var perHost = 4
        package var discretionary = 2

        package init() {}
    }

    /// A transfer that runs or can start.
    package struct Candidate: Hashable, Sendable {
        /// The number of the transfer; a lower number was created earlier.
        package let id: Int64
        /// The program that owns the transfer.
        package let program: Int64
        /// The host and port of the address.
        package let host: String
        /// The priority within the program: 0 to 1, as `URLSessionTask.priority`.
        package let priority: Double
        package let isDiscretionary: Bool
        /// The session of the transfer.
        package let session: Session
        /// The failed attempts since the last progress.
        package let failureCount: Int

        /// A session: its key, and the most of its transfers that use one host at the same time.
        package struct Session: Hashable, Sendable {
            package let id: Int64
            package let hostLimit: Int

            package init(id: Int64 = 0, hostLimit: Int = .max) { (self.id, self.hostLimit) = (id, hostLimit) }
        }

        package init(
            id: Int64, program: Int64, host: String, priority: Double = 0.5, isDiscretionary: Bool = false,
            session: Session = Session(), failureCount: Int = 0
        ) {
            self.id = id
            self.program = program
            self.host = host
            self.priority = priority.isFinite ? min(max(priority, 0), 1) : 0.5
            self.isDiscretionary = isDiscretionary
            self.session = session
            self.failureCount = failureCount
        }
    }

    package var limits: Limits
    /// The program that received the last slot; the turn goes on with the program after it.
    package private(set) var lastProgram: Int64?

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Returns the transfers that start now, in order. All other waiting transfers wait for
    /// ``WaitingReason/hostSlots``.
    /// - Parameters:
    ///   - waiting: the transfers whose conditions are met.
    ///   - running: the transfers that hold a slot.
    ///   - gate: the closed hosts. The caller records the starts with ``HostGate/handleStart(_:now:)``.
    ///   - now: the current boot time.
    package mutating func admit(
        _ waiting: [Candidate], running: [Candidate], gate: HostGate = HostGate(), now: Duration = .zero
    ) -> [Candidate] {
        var slots = Slots(limits: limits, running: running, gate: gate, now: now)
        var queues = Dictionary(grouping: waiting, by: \.program).mapValues { candidates in
            candidates.sorted {
                ($1.priority, $0.failureCount, $0.id) < ($0.priority, $1.failureCount, $1.id)
            }
        }
        var admitted: [Candidate] = []
        while slots.freeCount > 0, let candidate = next(in: queues, slots: slots) {
            slots.take(candidate)
            queues[candidate.program]?.removeAll { $0.id == candidate.id }
            lastProgram = candidate.program
            admitted.append(candidate)
        }
        return admitted
    }

    /// Returns the next transfer that may start: of the next program in turn that has one.
    private func next(in queues: [Int64: [Candidate]], slots: Slots) -> Candidate? {
        let programs = queues.keys.sorted()
        let start = lastProgram.flatMap { last in programs.firstIndex { $0 > last } } ?? 0
        for program in programs[start...] + programs[..<start] {
            if let candidate = queues[program]?.first(where: { slots.permits($0) }) { return candidate }
        }
        return nil
    }

    /// The free slots while transfers are admitted.
    private struct Slots {
        let limits: Limits
        let gate: HostGate
        let now: Duration
        var count: Int
        var discretionaryCount: Int
        var hostCounts: [String: Int]
        var sessionCounts: [SessionHost: Int]

        /// A host as one session uses it.
        struct SessionHost: Hashable {
            let session: Int64, host: String

            init(_ candidate: Candidate) { (session, host) = (candidate.session.id, candidate.host) }
        }

        init(limits: Limits, running: [Candidate], gate: HostGate, now: Duration) {
            self.limits = limits
            self.gate = gate
            self.now = now
            count = running.count
            discretionaryCount = running.count { $0.isDiscretionary }
            hostCounts = Dictionary(running.map { ($0.host, 1) }, uniquingKeysWith: +)
            sessionCounts = Dictionary(running.map { (SessionHost($0), 1) }, uniquingKeysWith: +)
        }

        var freeCount: Int { limits.total - count }

        func permits(_ candidate: Candidate) -> Bool {
            let hostCount = hostCounts[candidate.host, default: 0]
            let hostLimit =
                switch gate.state(of: candidate.host, now: now) {
                case .open: limits.perHost
                case .probe: min(1, limits.perHost)
                case .closed, .probing: 0
                }
            return hostCount < hostLimit
                && sessionCounts[SessionHost(candidate), default: 0] < candidate.session.hostLimit
                && (!candidate.isDiscretionary || discretionaryCount < limits.discretionary)
        }

        mutating func take(_ candidate: Candidate) {
            count += 1
            discretionaryCount += candidate.isDiscretionary ? 1 : 0
            hostCounts[candidate.host, default: 0] += 1
            sessionCounts[SessionHost(candidate), default: 0] += 1
        }
    }
}
