import WireFormat

/// The memory that a program's players and caches use, as the program reports it. All sizes are in bytes, and not
/// negative. A pure value.
package struct MemoryReport: Equatable, Sendable {
    /// The last low-memory warning, and the memory that the program released after it.
    package struct Warning: Equatable, Sendable {
        /// The severity of the warning.
        package var level: MemoryPressureLevel
        /// The time since the warning, in nanoseconds.
        package var age: Int64
        /// The dirty memory that the program has released within a second after the warning.
        package var releasedBytes: Int64

        package init(level: MemoryPressureLevel, age: Int64, releasedBytes: Int64) {
            (self.level, self.age, self.releasedBytes) = (level, age, releasedBytes)
        }
    }

    /// The size of the video frames of all players, including unused frames in their pools.
    package var frameBytes: Int64 = 0
    /// The size of the packets that are read ahead.
    package var packetBytes: Int64 = 0
    /// The size of the contents of the program's caches.
    package var cacheBytes: Int64 = 0
    /// The last warning; nil if there was none.
    package var warning: Warning?

    package init() {}
}

/// The memory of one program, for lists that are shown to users. All sizes are in bytes.
package struct ProgramMemory: Equatable, Sendable {
    /// The program and its state.
    package var program: ProgramSnapshot
    /// The limit of dirty memory that the program should keep in its role.
    package var budget: Int64
    /// The dirty and the clean memory that the kernel reports (see `ProcessMemory`); nil if it cannot be read.
    package var usage: (dirty: Int64, clean: Int64)?
    /// The program's report; nil if the program has not answered in time.
    package var report: MemoryReport?

    package init(
        program: ProgramSnapshot, budget: Int64, usage: (dirty: Int64, clean: Int64)?, report: MemoryReport?
    ) {
        (self.program, self.budget, self.usage, self.report) = (program, budget, usage, report)
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.program == other.program && one.budget == other.budget && one.usage?.dirty == other.usage?.dirty
            && one.usage?.clean == other.usage?.clean && one.report == other.report
    }
}

extension ProgramRole {
    /// Returns the limit of dirty memory that a program should keep in this role, in bytes.
    ///
    /// - Parameter total: The size of the machine's memory in bytes; nil if it is unknown.
    package func memoryBudget(total: Int64?) -> Int64 {
        let (limit, percent): (Int64, Int64) =
            switch self {
            case .primary: (256 << 20, 3)
            case .secondary: (128 << 20, 2)
            case .backgroundMedia, .none: (48 << 20, 1)
            }
        return min(limit, total.map { $0 / 100 * percent } ?? .max)
    }
}

extension MessageReader {
    /// Reads a number that is not negative.
    fileprivate mutating func readSize() throws(MalformedMessage) -> Int64 {
        let size = try read(Int64.self)
        guard size >= 0 else { throw MalformedMessage("a negative size") }
        return size
    }
}

extension MemoryReport {
    /// Appends the report to a message.
    func write(to writer: inout MessageWriter) {
        for size in [frameBytes, packetBytes, cacheBytes] { writer.write(size) }
        writer.write(warning != nil)
        guard let warning else { return }
        writer.write(warning.level.rawValue)
        writer.write(warning.age)
        writer.write(warning.releasedBytes)
    }

    /// Reads a report from a message.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        (frameBytes, packetBytes, cacheBytes) = (try reader.readSize(), try reader.readSize(), try reader.readSize())
        guard try reader.read(Bool.self) else { return }
        warning = Warning(
            level: try MemoryPressureLevel(from: &reader), age: try reader.readSize(),
            releasedBytes: try reader.readSize())
    }
}

extension ProgramMemory {
    /// Appends the program, its budget, its usage and its report to a message.
    func write(to writer: inout MessageWriter) {
        program.write(to: &writer)
        writer.write(budget)
        writer.write(usage != nil)
        if let usage {
            writer.write(usage.dirty)
            writer.write(usage.clean)
        }
        writer.write(report != nil)
        report?.write(to: &writer)
    }

    /// Reads the memory of a program from a message.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        (program, budget) = (try ProgramSnapshot(from: &reader), try reader.readSize())
        if try reader.read(Bool.self) { usage = (try reader.readSize(), try reader.readSize()) }
        if try reader.read(Bool.self) { report = try MemoryReport(from: &reader) }
    }
}
