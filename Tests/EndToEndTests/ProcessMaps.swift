import Foundation
import Glibc
import TestSupport

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
    static func descriptors(of pid: Int32) -> Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []).count
    }

    /// Nanoseconds of processor time that a process has used.
    static func processorTime(of pid: Int32) throws -> Int64 {
        let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        // The program's name, in parentheses, may hold spaces. User and system time are the 14th and 15th field.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 13, let user = Int64(fields[11]), let system = Int64(fields[12]) else {
            throw RigError("no times in \(text)")
        }
        return (user + system) * 1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK)))
    }
}
