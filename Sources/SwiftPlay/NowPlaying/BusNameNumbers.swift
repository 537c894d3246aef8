import SystemCalls

/// The numbers that make the D-Bus names of this process's published players unique on each bus. A pure value.
struct BusNameNumbers: Equatable {
    /// The reserved numbers, by the address of the bus.
    private var usedNumbers: [String: Set<Int>] = [:]

    /// Reserves the lowest number that is free on a bus, and returns it.
    ///
    /// - Parameter bus: The address of the bus.
    mutating func allocate(onBus bus: String) -> Int {
        let usedOnBus = usedNumbers[bus, default: []]
        let number = (0...usedOnBus.count).first { !usedOnBus.contains($0) } ?? usedOnBus.count
        usedNumbers[bus, default: []].insert(number)
        return number
    }

    /// Makes a reserved number free again.
    mutating func release(_ number: Int, onBus bus: String) {
        usedNumbers[bus]?.remove(number)
        if usedNumbers[bus]?.isEmpty == true { usedNumbers[bus] = nil }
    }
}

/// The number in a published player's name on the session bus. The number is reserved until this object is released.
final class BusNameNumber: Sendable {
    /// The reserved numbers of all published players of this process.
    private static let numbers = Monitor(BusNameNumbers())

    /// The reserved number; 0 for the first player of the process on the bus.
    let value: Int
    /// The address of the bus on which the number is reserved.
    private let bus: String

    init(onBus bus: String) {
        self.bus = bus
        value = Self.numbers.withLock { $0.allocate(onBus: bus) }
    }

    deinit { Self.numbers.withLock { $0.release(value, onBus: bus) } }
}
