import WireFormat

/// A report of a program about itself. Since version 2 of the interface `programs`.
package enum ProgramReport: Equatable, Sendable {
    /// The memory of the program, in answer to ``ServerMessage/memoryReportRequested``.
    case memory(MemoryReport)
    /// Whether the compositor may end the program when memory is short, because a restart of the program loses no data.
    /// The default is false.
    case isRestartable(Bool)
}

extension ProgramReport {
    /// Appends the report to a message.
    func write(to writer: inout MessageWriter) {
        switch self {
        case .memory(let report):
            writer.write(UInt8(1))
            report.write(to: &writer)
        case .isRestartable(let isRestartable):
            writer.write(UInt8(2))
            writer.write(isRestartable)
        }
    }

    /// Reads a report from a message.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        switch try reader.read(UInt8.self) {
        case 1: self = .memory(try MemoryReport(from: &reader))
        case 2: self = .isRestartable(try reader.read())
        default: throw MalformedMessage("an unknown report", isUnknown: true)
        }
    }
}
