/// The pending queries for the memory of all programs. A query waits until each program has reported its own memory. A
/// pure value; host times are in nanoseconds.
struct MemoryQueries: Equatable {
    /// The time limit for the reports of programs, in nanoseconds. A stopped program does not report.
    static let timeout: Int64 = 300_000_000

    /// A query that has not been answered yet.
    private struct Query: Equatable {
        /// The numbers of the connections whose reports are missing.
        var awaitedPrograms: Set<UInt64>
        /// The host time at which the query is answered without the missing reports.
        var deadline: Int64
    }

    /// The pending queries by the number of the connection that sent the query.
    private var queries: [UInt64: Query] = [:]

    /// The host time at which ``takeFinishedQueries(now:)`` must be called next; nil without queries.
    var deadline: Int64? { queries.values.map(\.deadline).min() }

    /// Adds a query. A second query of the same connection replaces the first.
    ///
    /// - Parameters:
    ///   - requester: The number of the connection that sent the query.
    ///   - programs: The numbers of the connections whose programs must report.
    mutating func add(_ requester: UInt64, programs: Set<UInt64>, now: Int64) {
        queries[requester] = Query(awaitedPrograms: programs, deadline: now + Self.timeout)
    }

    /// Records that a program has reported or has disconnected. A query of a disconnected program is discarded.
    mutating func remove(_ program: UInt64, isDisconnected: Bool) {
        if isDisconnected { queries[program] = nil }
        for id in queries.keys { queries[id]?.awaitedPrograms.remove(program) }
    }

    /// Removes the queries that are complete or past their deadlines, and returns the connections to answer, in
    /// ascending order.
    mutating func takeFinishedQueries(now: Int64) -> [UInt64] {
        let finishedIDs = queries.filter { $0.value.awaitedPrograms.isEmpty || now >= $0.value.deadline }.keys.sorted()
        for id in finishedIDs { queries[id] = nil }
        return finishedIDs
    }

    /// Whether a query is complete.
    var hasCompleteQuery: Bool { queries.values.contains { $0.awaitedPrograms.isEmpty } }
}
