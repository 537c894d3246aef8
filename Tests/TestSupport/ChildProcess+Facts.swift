import Foundation

/// What `/proc` knows of a child while it runs.
extension ChildProcess {
    /// Bytes it has in memory now; 0 when it has ended.
    package var residentBytes: Int {
        let fields = ProcessFacts.read(pid, "statm").split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 : 0
    }

    /// How many descriptors it has open.
    package var openDescriptors: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []).count
    }

    /// The names of its threads, sorted.
    package var threadNames: [String] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        return threads.map { ProcessFacts.read(pid, "task/\($0)/comm").trimmingCharacters(in: .newlines) }.sorted()
    }
}

/// Reading `/proc`.
enum ProcessFacts {
    static func read(_ pid: Int32, _ file: String) -> String {
        FileManager.default.contents(atPath: "/proc/\(pid)/\(file)").map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    static var all: [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int32($0) }
    }
}
