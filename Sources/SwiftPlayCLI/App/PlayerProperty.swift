import SwiftPlayKit
import VideoOutput

/// A property of mpv's JSON IPC: its name, its type, and how it is read and set. The tables in `Properties+….swift`
/// contain all properties.
struct PlayerProperty: Sendable {
    /// Returns the value of a property; nil if the property is not available now.
    typealias Reader = @Sendable (PropertyContext) -> JSONValue?
    /// Returns a part of the value, by the path after the property's name.
    typealias PartReader = @Sendable (PropertyContext, ArraySlice<String>) throws(IPCError) -> JSONValue
    /// Sets the property to a value that a client has sent.
    typealias Writer = @Sendable (PropertyContext, JSONValue) throws(IPCError) -> Void

    let name: String
    let type: PropertyType
    /// Whether the property is an option in mpv, which `options/NAME` also reads and sets.
    let isOption: Bool
    let changes: PropertyChanges
    let read: Reader
    /// Reads parts of the value; nil reads them from the whole value.
    let readPart: PartReader?
    /// Sets the property; nil if it cannot be set.
    let write: Writer?

    init(
        _ name: String, _ type: PropertyType, isOption: Bool = false, changes: PropertyChanges = .withEvents,
        read: @escaping Reader, readPart: PartReader? = nil, write: Writer? = nil
    ) {
        (self.name, self.type, self.isOption, self.changes) = (name, type, isOption, changes)
        (self.read, self.readPart, self.write) = (read, readPart, write)
    }

    /// Creates an option whose feature SwiftPlay does not have: the value never changes, and only this value can be
    /// set.
    static func fixed(_ name: String, _ type: PropertyType, _ value: JSONValue) -> PlayerProperty {
        PlayerProperty(name, type, isOption: true, changes: .never) { _ in
            value
        } write: { _, newValue throws(IPCError) in
            guard newValue == value || newValue.propertyString == value.propertyString else { throw .propertyError }
        }
    }

    /// Returns a property with the same value under another name.
    func renamed(_ name: String) -> PlayerProperty {
        PlayerProperty(
            name, type, isOption: isOption, changes: changes, read: read, readPart: readPart, write: write)
    }
}

/// The objects from which properties are read.
struct PropertyContext {
    let target: PlayerTarget

    var player: Player { target.player }
    /// The snapshot of the program's state.
    var state: PlayerTarget.State { target.state.withLock { $0 } }
    /// The current item; nil if there is none.
    var item: PlayerItem? { player.currentItem }
    /// The current item if it is open.
    var openItem: PlayerItem? { item.flatMap { $0.status == .readyToPlay ? $0 : nil } }
    /// The window or terminal that shows the picture; nil before it opens, and without video output.
    var output: (any VideoOutput)? { target.layer?.router.output }
}

extension JSONValue {
    /// Creates a fraction; nil if it is nil or not finite.
    static func finite(_ number: Double?) -> JSONValue? { number.flatMap { $0.isFinite ? .double($0) : nil } }

    /// Creates an integer; nil if `number` is nil.
    static func integer(_ number: Int?) -> JSONValue? { number.map { .int(Int64($0)) } }

    /// Creates a string; nil if `text` is nil.
    static func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }

    /// Creates a list of strings.
    static func texts(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }

    /// Returns the value for a text property.
    ///
    /// - Throws: ``IPCError/propertyError`` if the value is not a string.
    func propertyText() throws(IPCError) -> String {
        guard case .string(let text) = self else { throw .propertyError }
        return text
    }
}
