/// The properties that one IPC client observes, with the value that the client received last for each.
///
/// When a property may have changed, it is only marked. The property is read when the client can receive more output,
/// so a slow client receives only the latest value, however many changes came before.
struct PropertyObservers {
    /// The contents of one `property-change` event.
    struct Change: Equatable, Sendable {
        /// The client's number of the observer.
        let id: Int64
        /// The name of the property.
        let name: String
        /// The new value; nil if the property has no value or does not exist.
        let value: JSONValue?
    }

    /// The properties that may have changed.
    enum Mark: Equatable, Sendable {
        /// The property with this name, or a part of it.
        case property(String)
        /// The properties that change while a file plays.
        case playback
        /// All properties that are not constant.
        case any
    }

    /// An observed property.
    private struct Observer {
        /// The client's number of the observer.
        let id: Int64
        /// The name of the property.
        let name: String
        /// Whether the client has requested the value as text.
        let sendsText: Bool
        /// The events after which the property must be read again.
        let changes: PropertyChanges
        /// The value that the client received last; nil before the client has received a value.
        var lastSentValue: JSONValue??
        /// Whether the property may have changed since the client received its value.
        var mayHaveChanged = true

        /// Returns whether a change of the properties in `mark` may change the observed value.
        func isAffected(by mark: Mark) -> Bool {
            switch mark {
            case .property(let changedName): name == changedName || name.hasPrefix(changedName + "/")
            case .playback: changes == .withPlayback
            case .any: changes != .never
            }
        }
    }

    /// The observers that the client has added.
    private var observers: [Observer] = []
    /// The largest number of observers of the client.
    private let capacity: Int

    /// Creates an empty list of observers; `capacity` is the largest number of observers.
    init(capacity: Int) { self.capacity = capacity }

    /// Whether a property is observed that changes while a file plays.
    var observesPlayback: Bool { observers.contains { $0.changes == .withPlayback } }

    /// Whether any property is marked as possibly changed, so that ``takeChanges(reading:)`` must read it.
    private(set) var hasMarkedProperties = false

    /// Adds an observer of a property. The next ``takeChanges(reading:)`` returns its first value. Observers of several
    /// properties may have the same id.
    ///
    /// - Throws: ``IPCError/outOfMemory`` if the client already has as many observers as allowed.
    ///
    /// - Parameters:
    ///   - id: The client's number of the observer.
    ///   - name: The name of the property.
    ///   - sendsText: Whether the client has requested the value as text.
    ///   - changes: The events after which the property must be read again.
    mutating func observe(id: Int64, name: String, sendsText: Bool, changes: PropertyChanges = .withPlayback)
        throws(IPCError)
    {
        guard observers.count < capacity else { throw .outOfMemory }
        observers.append(Observer(id: id, name: name, sendsText: sendsText, changes: changes))
        hasMarkedProperties = true
    }

    /// Removes all observers with `id`.
    mutating func unobserve(id: Int64) { observers.removeAll { $0.id == id } }

    /// Marks properties as possibly changed.
    mutating func markAsChanged(_ mark: Mark) {
        for i in observers.indices where observers[i].isAffected(by: mark) {
            observers[i].mayHaveChanged = true
            hasMarkedProperties = true
        }
    }

    /// Returns the marked properties whose value differs from the value that the client received last, and records the
    /// new values as received.
    ///
    /// - Parameter read: Returns the current value of a property; nil if it has no value. Called on the calling thread,
    ///   at most once for each name.
    mutating func takeChanges(reading read: (String) -> JSONValue?) -> [Change] {
        guard hasMarkedProperties else { return [] }
        hasMarkedProperties = false
        var values: [String: JSONValue?] = [:]
        var changes: [Change] = []
        for i in observers.indices where observers[i].mayHaveChanged {
            let observer = observers[i]
            let value = values[observer.name] ?? read(observer.name)
            values.updateValue(value, forKey: observer.name)
            let sentValue = observer.sendsText ? value.map { .string($0.propertyString) } : value
            observers[i].mayHaveChanged = false
            guard observer.lastSentValue != .some(sentValue) else { continue }
            observers[i].lastSentValue = .some(sentValue)
            changes.append(Change(id: observer.id, name: observer.name, value: sentValue))
        }
        return changes
    }
}

extension PropertyObservers.Change {
    /// Appends the event to `bytes` as one line of JSON. As in mpv, an id of zero and a missing value are omitted.
    func encode(into bytes: inout [UInt8]) {
        var members: [(String, JSONValue)] = [("event", "property-change")]
        if id != 0 { members.append(("id", .int(id))) }
        members.append(("name", .string(name)))
        if let value { members.append(("data", value)) }
        JSONValue.encode(members: members, into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }
}
