import CompositorProtocol
import SwiftPlayKit
import SystemCalls

/// The IPC properties for the program's role and memory.
extension PlayerTarget {
    /// Returns the value of `program-role`, `memory-pressure` or `program-memory`; nil for any other name.
    func programProperty(_ name: String) -> JSONValue? {
        switch name {
        case "program-role":
            switch Application.shared.role {
            case .none: .string("none")
            case .backgroundMedia: .string("background")
            case .secondary: .string("secondary")
            case .primary: .string("primary")
            }
        case "memory-pressure":
            switch Application.shared.memoryPressure {
            case .normal: .string("normal")
            case .warning: .string("warning")
            case .critical: .string("critical")
            }
        case "program-memory": programMemory
        default: nil
        }
    }

    /// The program's memory budget and memory usage, in bytes, and its last memory warning.
    private var programMemory: JSONValue {
        let status = Application.shared.memoryStatus, report = status.report
        var fields: [String: JSONValue] = [
            "budget": .int(status.budget), "frames": .int(report.frameBytes), "packets": .int(report.packetBytes),
            "caches": .int(report.cacheBytes),
        ]
        if let usage = status.usage {
            (fields["dirty"], fields["clean"]) = (.int(Int64(usage.dirty)), .int(Int64(usage.clean)))
        }
        if let warning = report.warning {
            fields["last-warning-age"] = .double(Double(warning.age) / 1e9)
            fields["last-warning-released"] = .int(warning.releasedBytes)
        }
        return .object(fields)
    }
}
