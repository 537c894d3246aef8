import Foundation
import Glibc
import TestSupport

/// Reads the memory maps, the number of open file descriptors and the processor time of a process from `/proc`.
enum ProcessUsage {
    /// Returns the lines of `/proc/PID/maps`, each of which describes a memory mapping of the process.
    static func memoryMaps(of pid: Int32) -> [Substring] {
        // `FileManager.contents` reads only the first 64 KB of files that report no size.
        let text = FileHandle(forReadingAtPath: "/proc/\(pid)/maps").flatMap { try? $0.readToEnd() } ?? Data()
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
    }
}

extension ProcessUsage {
    /// Returns the number of file descriptors that a process has open.
    static func openDescriptorCount(of pid: Int32) -> Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []).count
    }

    /// Returns the processor time that a process has used, in nanoseconds.
    static func processorTime(of pid: Int32) throws -> Int64 {
        let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        // The second field is the program name, which is in parentheses and may contain spaces. Fields 14 and 15 are
        // the user and system time.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 13, let user = Int64(fields[11]), let system = Int64(fields[12]) else {
            throw TestFailure("no processor times in \(text)")
        }
        return (user + system) * 1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK)))
    }
}
