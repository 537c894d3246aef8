import Glibc
import SystemCalls

/// The kernel's files about memory: `/proc/meminfo`, `/proc/pressure/memory` and the files of this process's control
/// group (version 2). Missing and unreadable files are skipped. Used by one thread.
package final class MemoryFiles {
    /// The directories that contain the files.
    package struct Roots: Sendable {
        /// The mount point of the proc file system.
        package var proc: String
        /// The mount point of the control groups of version 2.
        package var controlGroups: String

        package init(proc: String = "/proc", controlGroups: String = "/sys/fs/cgroup") {
            (self.proc, self.controlGroups) = (proc, controlGroups)
        }
    }

    /// The largest number of bytes that are read from a file.
    private static let sizeLimit = 8192
    /// The files `/proc/meminfo` and `/proc/pressure/memory`; nil for a missing file.
    private let meminfo, pressure: FileDescriptorBox?
    /// The control group's files `memory.current`, `memory.stat`, `memory.high`, `memory.max` and `memory.events`; nil
    /// for a missing file.
    private let currentUsage, statistics, highLimit, maximumLimit, limitEvents: FileDescriptorBox?

    /// A file that stays open and is read repeatedly. Its initialiser returns nil if the file cannot be opened.
    private final class FileDescriptorBox {
        private let descriptor: FileDescriptor

        init?(_ path: String) {
            guard let openedDescriptor = try? FileDescriptor(opening: path, flags: O_RDONLY) else { return nil }
            descriptor = openedDescriptor
        }

        /// The text at the start of the file; nil if it cannot be read.
        var text: String? {
            var bytes = [UInt8](repeating: 0, count: MemoryFiles.sizeLimit)
            let byteCount = bytes.withUnsafeMutableBytes { pread(descriptor.raw, $0.baseAddress, $0.count, 0) }
            return byteCount > 0 ? String(decoding: bytes.prefix(byteCount), as: UTF8.self) : nil
        }
    }

    init(_ roots: Roots = Roots()) {
        meminfo = FileDescriptorBox(roots.proc + "/meminfo")
        pressure = FileDescriptorBox(roots.proc + "/pressure/memory")
        let controlGroups = FileDescriptorBox(roots.proc + "/self/cgroup")?.text ?? ""
        // The line of version 2 is `0::/PATH`.
        let groupPath = controlGroups.split(separator: "\n").first { $0.hasPrefix("0::/") }.map { $0.dropFirst(3) }
        let groupDirectory = groupPath.map { roots.controlGroups + ($0 == "/" ? "" : $0) }
        func file(_ name: String) -> FileDescriptorBox? {
            groupDirectory.flatMap { FileDescriptorBox("\($0)/\(name)") }
        }
        (currentUsage, highLimit, maximumLimit) = (file("memory.current"), file("memory.high"), file("memory.max"))
        (statistics, limitEvents) = (file("memory.stat"), file("memory.events"))
    }

    /// Whether the kernel reports stall times, the times in which tasks wait for memory.
    var reportsStalls: Bool { pressure?.text != nil }

    /// Whether the control group has a limit.
    var hasGroupLimit: Bool { [highLimit, maximumLimit].contains { $0?.text.flatMap(Self.number) != nil } }

    /// Reads all files.
    func read() -> MemoryReading {
        var reading = MemoryReading()
        if let text = pressure?.text {
            reading.someStallTime = Self.total(of: "some", in: text)
            reading.fullStallTime = Self.total(of: "full", in: text)
        }
        if let text = meminfo?.text, let total = Self.number("MemTotal:", in: text), total > 0,
            let available = Self.number("MemAvailable:", in: text)
        {
            reading.available = Double(available) / Double(total)
            // The file states kilobytes.
            reading.totalBytes = total.multipliedReportingOverflow(by: 1024).overflow ? nil : total * 1024
        }
        if let total = currentUsage?.text.flatMap(Self.number) {
            // The kernel drops this part of the page cache first, and at no cost for a program that reads a film once.
            let unused = statistics?.text.flatMap { Self.number("inactive_file", in: $0) } ?? 0
            let usage = max(0, total - unused)
            reading.fractionOfHighLimit = Self.fraction(usage, of: highLimit?.text)
            reading.fractionOfMaximumLimit = Self.fraction(usage, of: maximumLimit?.text)
        }
        if let text = limitEvents?.text {
            reading.limitEventCount = Self.number("max", in: text)
            let counts = ["oom", "oom_kill"].compactMap { Self.number($0, in: text) }
            if !counts.isEmpty {
                reading.outOfMemoryCount = counts.reduce(0) { $0.addingReportingOverflow($1).partialValue }
            }
        }
        return reading
    }

    /// Returns the total stall time, in microseconds, from the line that begins with `kind`, such as `some avg10=0.00
    /// avg60=0.00 avg300=0.00 total=123`.
    private static func total(of kind: String, in text: String) -> Int64? {
        let line = text.split(separator: "\n").first { $0.hasPrefix(kind + " ") }
        return line?.split(separator: " ").first { $0.hasPrefix("total=") }.flatMap { Int64($0.dropFirst(6)) }
            .flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Returns the number in the line that begins with `name`; nil if there is no such line or the number is negative.
    private static func number(_ name: String, in text: String) -> Int64? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields.count >= 2, fields[0] == name { return number(String(fields[1])) }
        }
        return nil
    }

    /// Returns the number at the start of a text; nil if the text starts with no number, or with a negative one.
    private static func number(_ text: String) -> Int64? {
        let digits = text.prefix { !$0.isWhitespace }
        return Int64(digits).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Returns `usage` as a fraction of the limit in the text `limit`; nil for no limit (`max`).
    private static func fraction(_ usage: Int64, of limit: String?) -> Double? {
        guard let limit = limit.flatMap(number), limit > 0 else { return nil }
        return Double(usage) / Double(limit)
    }
}
