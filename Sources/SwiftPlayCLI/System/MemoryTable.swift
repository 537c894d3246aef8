import CompositorProtocol
import SystemCalls

/// Formats the memory of the programs that play media as a text table for users.
enum MemoryTable {
    /// Returns a line with the memory pressure level and the table of programs, the most important programs first.
    static func text(of memory: [ProgramMemory], pressure: MemoryPressureLevel) -> String {
        let pressureLine = "memory pressure: \(name(pressure))\n"
        guard !memory.isEmpty else { return pressureLine + "no programs\n" }
        let sortedMemory = memory.sorted {
            ($1.program.role, $0.program.processID) < ($0.program.role, $1.program.processID)
        }
        let titles = [
            "PID", "PROGRAM", "ROLE", "BUDGET", "DIRTY", "CLEAN", "FRAMES", "PACKETS", "CACHES", "LAST WARNING",
            "RELEASED",
        ]
        return pressureLine + TextTable.text(of: [titles] + sortedMemory.map(row))
    }

    /// Returns the cells of the row of one program. Sizes are in MiB.
    private static func row(_ memory: ProgramMemory) -> [String] {
        let report = memory.report, warning = report?.warning
        return [
            "\(memory.program.processID)", memory.program.name, ProgramTable.name(memory.program.role),
            size(memory.budget), size(memory.usage?.dirty), size(memory.usage?.clean), size(report?.frameBytes),
            size(report?.packetBytes), size(report?.cacheBytes),
            warning.map { "\(name($0.level)), \($0.age / MonotonicTime.nanosecondsPerSecond) s ago" } ?? "-",
            size(warning?.releasedBytes),
        ]
    }

    /// Returns a size in MiB; `-` for an unknown size.
    private static func size(_ bytes: Int64?) -> String { bytes.map { "\((($0 >> 19) + 1) >> 1) MiB" } ?? "-" }

    /// Returns the name of a memory pressure level.
    private static func name(_ level: MemoryPressureLevel) -> String {
        switch level {
        case .normal: "normal"
        case .warning: "warning"
        case .critical: "critical"
        }
    }
}
