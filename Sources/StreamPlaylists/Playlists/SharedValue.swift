/// A reference to an immutable value that many owners share. In each owner it takes the memory of one pointer.
///
/// Thousands of segments have the same key and initialization section.
package struct SharedValue<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The single copy of the value.
    private final class Storage: Sendable {
        package let value: Value
        package init(_ value: Value) { self.value = value }
    }

    private let storage: Storage

    package init(_ value: Value) { storage = Storage(value) }

    package var value: Value { storage.value }

    package static func == (left: SharedValue, right: SharedValue) -> Bool {
        left.storage === right.storage || left.value == right.value
    }
}
