import Foundation

/// What lies in a process's memory, by `/proc`.
enum ProcessMaps {
    static func lines(of pid: Int32) -> [Substring] {
        (FileManager.default.contents(atPath: "/proc/\(pid)/maps").map { String(decoding: $0, as: UTF8.self) } ?? "").split(separator: "\n")
    }
}

extension ProcessMaps {
    /// How many descriptors a process has open.
    static func descriptors(of pid: Int32) -> Int { ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []).count }
}
