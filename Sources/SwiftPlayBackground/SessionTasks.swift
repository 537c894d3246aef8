/// The transfers of a session that have not ended: a value.
struct SessionTasks<Transfer: AnyObject> {
    /// The transfers that are stored at the service, by their keys.
    private(set) var stored: [Int64: Transfer] = [:]
    /// The new transfers whose creation was not answered yet.
    private(set) var unanswered: [Transfer] = []

    /// All transfers: those that are stored in the order of their creation, then the unanswered ones.
    var all: [Transfer] { stored.sorted { $0.key < $1.key }.map(\.value) + unanswered }

    subscript(id: Int64) -> Transfer? { stored[id] }

    /// Adds a new transfer.
    mutating func add(_ task: Transfer) { unanswered.append(task) }

    /// Records that a new transfer was stored with a key.
    mutating func store(_ task: Transfer, id: Int64) {
        unanswered.removeAll { $0 === task }
        stored[id] = task
    }

    /// Forgets a new transfer that the service has refused.
    mutating func remove(_ task: Transfer) { unanswered.removeAll { $0 === task } }

    /// Forgets a transfer that has ended.
    mutating func remove(id: Int64) { stored[id] = nil }

    /// Returns the transfer of a report. If no transfer has its key, an earlier run of the program has created the
    /// transfer, and `makeTask` makes its object: also while the creation of other transfers is not answered. If the
    /// transfer is one of those, the answer to its creation replaces the object.
    mutating func task(id: Int64, makeTask: () -> Transfer) -> Transfer {
        if let task = stored[id] { return task }
        let task = makeTask()
        stored[id] = task
        return task
    }
}
