/// The queries of all programs' memory that wait for reports of programs. A pure value; host times are nanoseconds.
struct MemoryQueries: Equatable {
    /// The time within which programs must answer. A stopped program does not answer.
    static let timeout: Int64 = 300_000_000

    private struct Query: Equatable {
        /// The numbers of the connections whose reports are missing.
        var missing: Set<UInt64>
        /// The host time at which the query is answered without the missing reports.
        var deadline: Int64
    }

    /// The queries by the number of the asking program's connection.
    private var queries: [UInt64: Query] = [:]

    /// The host time at which ``expired(now:)`` must be called next; nil without queries.
    var deadline: Int64? { queries.values.map(\.deadline).min() }

    /// Begins a query; a second one of the same connection replaces the first.
    ///
    /// - Parameters:
    ///   - requester: The connection that asks.
    ///   - programs: The connections that must report.
    mutating func begin(_ requester: UInt64, programs: Set<UInt64>, now: Int64) {
        queries[requester] = Query(missing: programs, deadline: now + Self.timeout)
    }

    /// Records that a program has reported or has disconnected. A disconnected program asks nothing any more.
    mutating func remove(_ program: UInt64, isDisconnected: Bool) {
        if isDisconnected { queries[program] = nil }
        for id in queries.keys { queries[id]?.missing.remove(program) }
    }

    /// Ends the queries that are complete or late, and returns the connections to answer, in ascending order.
    mutating func expired(now: Int64) -> [UInt64] {
        let ready = queries.filter { $0.value.missing.isEmpty || now >= $0.value.deadline }.keys.sorted()
        for id in ready { queries[id] = nil }
        return ready
    }

    /// Whether a query is complete.
    var hasCompleteQuery: Bool { queries.values.contains { $0.missing.isEmpty } }
}
