import Foundation

/// Reads files below `/proc`.
enum ProcessFiles {
    /// Returns the text of `/proc/PID/FILE`; empty if the file cannot be read.
    static func read(_ pid: Int32, _ file: String) -> String {
        FileManager.default.contents(atPath: "/proc/\(pid)/\(file)").map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The process identifiers of all processes on the machine.
    static var processIdentifiers: [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int32($0) }
    }
}
