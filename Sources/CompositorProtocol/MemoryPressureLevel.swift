import WireFormat

/// The severity of a memory shortage of the machine or of a control group. The cases are ordered by severity.
package enum MemoryPressureLevel: UInt8, CaseIterable, Comparable, Sendable {
    /// Memory is not short.
    case normal = 1
    /// Programs should release data that they can load or compute again, and stop reading ahead.
    case warning = 2
    /// The kernel is about to end processes: programs must release all memory that they do not need at the moment.
    case critical = 3

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    /// Reads a level from a message.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        guard let level = Self(rawValue: try reader.read()) else {
            throw MalformedMessage("an unknown memory pressure")
        }
        self = level
    }
}
