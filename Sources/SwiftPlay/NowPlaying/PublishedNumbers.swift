import SystemCalls

/// The numbers of this process's players, each of which is unique on its bus. A pure value.
struct PublishedNumbers: Equatable {
    private var taken: [String: Set<Int>] = [:]

    /// Takes the lowest number that is free on a bus.
    ///
    /// - Parameter bus: the bus's address.
    mutating func take(onBus bus: String) -> Int {
        let used = taken[bus, default: []]
        let number = (0...used.count).first { !used.contains($0) } ?? used.count
        taken[bus, default: []].insert(number)
        return number
    }

    mutating func release(_ number: Int, onBus bus: String) {
        taken[bus]?.remove(number)
        if taken[bus]?.isEmpty == true { taken[bus] = nil }
    }
}

/// A number that a player holds on its bus for as long as this object exists.
final class PublishedNumber: Sendable {
    private static let numbers = Monitor(PublishedNumbers())

    let value: Int
    private let bus: String

    init(onBus bus: String) {
        self.bus = bus
        value = Self.numbers.withLock { $0.take(onBus: bus) }
    }

    deinit { Self.numbers.withLock { $0.release(value, onBus: bus) } }
}
