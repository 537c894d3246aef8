/// What one client wants to hear about, and what it was told last.
///
/// A change is marked when it may have happened and looked at only when the client can take more: however many changes
/// there were in between, a slow client gets the latest value only.
struct PropertyObservers {
    /// One `property-change`.
    struct Change: Equatable, Sendable {
        let id: Int64
        let name: String
        /// Nil when the property is unavailable or unknown.
        let value: JSONValue?
    }

    private struct Observer {
        let id: Int64
        let name: String
        let asString: Bool
        /// Nil until something was told.
        var told: JSONValue??
        var isMarked = true
    }

    private var observers: [Observer] = []
    private let capacity: Int

    /// - Parameter capacity: how many observers a client may have.
    init(capacity: Int) { self.capacity = capacity }

    /// True when ``takeChanges(reading:)`` has something to look at.
    private(set) var isMarked = false

    /// Begins to observe; the first report comes at once. The same id may observe several properties.
    mutating func observe(id: Int64, name: String, asString: Bool) throws(IPCError) {
        guard observers.count < capacity else { throw .outOfMemory }
        observers.append(Observer(id: id, name: name, asString: asString))
        isMarked = true
    }

    /// Forgets all observers with `id`.
    mutating func unobserve(id: Int64) { observers.removeAll { $0.id == id } }

    /// Notes that a property may have changed; nil means any.
    mutating func mark(_ name: String?) {
        for i in observers.indices where name == nil || observers[i].name == name {
            observers[i].isMarked = true
            isMarked = true
        }
    }

    /// The marked properties that differ from what was told last; they count as told from now on.
    ///
    /// - Parameter read: the value now, nil when there is none. Asked once for each name.
    mutating func takeChanges(reading read: (String) -> JSONValue?) -> [Change] {
        guard isMarked else { return [] }
        isMarked = false
        var values: [String: JSONValue?] = [:]
        var changes: [Change] = []
        for i in observers.indices where observers[i].isMarked {
            let observer = observers[i]
            let value = values[observer.name] ?? read(observer.name)
            values.updateValue(value, forKey: observer.name)
            let shown = observer.asString ? value.map { .string($0.propertyString) } : value
            observers[i].isMarked = false
            guard observer.told != .some(shown) else { continue }
            observers[i].told = .some(shown)
            changes.append(Change(id: observer.id, name: observer.name, value: shown))
        }
        return changes
    }
}

extension PropertyObservers.Change {
    /// Appends the change as a line. Like mpv it leaves out an id of zero and a value that is not there.
    func encode(into bytes: inout [UInt8]) {
        var members: [(String, JSONValue)] = [("event", "property-change")]
        if id != 0 { members.append(("id", .int(id))) }
        members.append(("name", .string(name)))
        if let value { members.append(("data", value)) }
        JSONValue.encode(members: members, into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }
}
