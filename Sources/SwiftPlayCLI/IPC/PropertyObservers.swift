/// The observed properties of one client, with the value that the client received last for each.
///
/// A possible change only marks the property. Its value is read when the client can receive more output. A slow client
/// therefore receives the latest value only, however many changes came before it.
struct PropertyObservers {
    /// One `property-change` event.
    struct Change: Equatable, Sendable {
        let id: Int64
        let name: String
        /// The new value; nil when the property is unavailable or unknown.
        let value: JSONValue?
    }

    private struct Observer {
        let id: Int64
        let name: String
        let asString: Bool
        /// The value that the client received last; nil before the first report.
        var told: JSONValue??
        var isMarked = true
    }

    private var observers: [Observer] = []
    private let capacity: Int

    /// - Parameter capacity: The largest number of observers.
    init(capacity: Int) { self.capacity = capacity }

    /// True when ``takeChanges(reading:)`` has marked properties to read.
    private(set) var isMarked = false

    /// Adds an observer. The next ``takeChanges(reading:)`` reports its first value. One id may observe several
    /// properties.
    ///
    /// - Throws: ``IPCError/outOfMemory`` if the client already has as many observers as allowed.
    mutating func observe(id: Int64, name: String, asString: Bool) throws(IPCError) {
        guard observers.count < capacity else { throw .outOfMemory }
        observers.append(Observer(id: id, name: name, asString: asString))
        isMarked = true
    }

    /// Removes all observers with `id`.
    mutating func unobserve(id: Int64) { observers.removeAll { $0.id == id } }

    /// Marks a property as possibly changed; nil marks all properties.
    mutating func mark(_ name: String?) {
        for i in observers.indices where name == nil || observers[i].name == name {
            observers[i].isMarked = true
            isMarked = true
        }
    }

    /// Returns the marked properties whose value differs from the last report, and records them as reported.
    ///
    /// - Parameter read: Returns the current value, or nil if there is none. Called on the calling thread, at most once
    ///   for each name.
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
    /// Appends the change as one line of JSON. Like mpv, it omits an id of zero and a missing value.
    func encode(into bytes: inout [UInt8]) {
        var members: [(String, JSONValue)] = [("event", "property-change")]
        if id != 0 { members.append(("id", .int(id))) }
        members.append(("name", .string(name)))
        if let value { members.append(("data", value)) }
        JSONValue.encode(members: members, into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }
}
