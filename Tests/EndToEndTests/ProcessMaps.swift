import Foundation

/// What lies in a process's memory, by `/proc`.
enum ProcessMaps {
    static func lines(of pid: Int32) -> [Substring] {
        // Of files that tell no size `FileManager.contents` reads the first 64 KB.
        let text = FileHandle(forReadingAtPath: "/proc/\(pid)/maps").flatMap { try? $0.readToEnd() } ?? Data()
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
    }
}

extension ProcessMaps {
    /// How many descriptors a process has open.
    static func descriptors(of pid: Int32) -> Int { ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []).count }
}
