import SystemCalls

/// The numbers of this process's players on each bus. A pure value.
struct PublishedNumbers: Equatable {
    private var taken: [String: Set<Int>] = [:]

    /// Returns the lowest number that is free on a bus, and reserves it.
    ///
    /// - Parameter bus: The address of the bus.
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

/// A reserved number. Releasing this object frees it.
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
