import CompositorProtocol
import Logging
import SystemCalls

/// Sets the `oom_score_adj` of programs by their roles, so that the kernel kills the least important program first.
/// Restores a program's value when it disconnects. Used by the compositor's main thread.
///
/// An unprivileged process may raise the value of its user's processes. It may lower a value only as far as the last
/// value that a privileged process has set, which child processes inherit. The compositor therefore can usually not
/// lower its own value, and raises the values of all programs instead.
final class ProgramOutOfMemoryScores {
    /// The name of the file in `/proc/PID`.
    private static let fileName = "oom_score_adj"

    /// A program whose value is set.
    private struct Entry {
        /// The program's process.
        let process: ProcessHandle
        /// The value of `oom_score_adj` before the first change, and its current value.
        let initialValue: Int
        var value: Int
    }

    /// The programs by the numbers of their connections; nil for programs whose value cannot be changed.
    private var entries: [UInt64: Entry?] = [:]
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// A program, with the properties that determine its value.
    struct Program {
        /// The number of the program's connection.
        var id: UInt64
        /// The role of the program.
        var role: ProgramRole
        /// Whether the user sees or hears the program.
        var isPerceived: Bool
    }

    /// Sets the values of `programs`, and restores the values of all other programs, which have disconnected.
    ///
    /// - Parameter processOf: Returns the process of a new program, by its connection number; nil if the process cannot
    ///   be identified.
    func update(_ programs: [Program], processOf: (UInt64) -> ProcessHandle?) {
        let ids = Set(programs.map(\.id))
        for id in entries.keys where !ids.contains(id) { restore(id) }
        for program in programs {
            let existingEntry = entries[program.id] ?? entry(processOf(program.id))
            entries[program.id] = .some(existingEntry.flatMap { set($0, program) })
        }
    }

    /// Restores the values of all programs, before the compositor exits.
    func restoreAll() { for id in entries.keys { restore(id) } }

    /// Returns the entry of a process whose value has not been changed yet; nil if the value cannot be read.
    private func entry(_ process: ProcessHandle?) -> Entry? {
        guard let process, let initialValue = process.text(of: Self.fileName).flatMap({ Int($0.prefix { $0 != "\n" }) })
        else { return nil }
        return Entry(process: process, initialValue: initialValue, value: initialValue)
    }

    /// Sets the value of a program if it must change. Returns the new entry; nil if the value cannot be set.
    private func set(_ entry: Entry, _ program: Program) -> Entry? {
        let value = OutOfMemoryScore.value(
            for: program.role, isPerceived: program.isPerceived, initialValue: entry.initialValue)
        guard value != entry.value else { return entry }
        var entry = entry
        do throws(SystemCallError) { try entry.process.write("\(value)", to: Self.fileName) } catch {
            logger.debug("cannot set oom_score_adj: \(error)", metadata: ["pid": "\(entry.process.processID)"])
            return nil
        }
        entry.value = value
        return entry
    }

    /// Restores the initial value of a program, and removes its entry.
    private func restore(_ id: UInt64) {
        guard let entry = entries.removeValue(forKey: id) ?? nil, entry.value != entry.initialValue else { return }
        // Ignore an error: the process may have exited.
        try? entry.process.write("\(entry.initialValue)", to: Self.fileName)
    }
}
