import CompositorProtocol
import Logging
import SystemCalls

/// Sets the `oom_score_adj` of programs by their roles, so that the kernel ends the least important one first, and
/// restores the value when a program disconnects. Used by the compositor's main thread.
///
/// An ordinary process may raise the value of its user's processes, and lower it to the value with which they started.
/// It cannot protect itself: all others are raised.
final class ProgramScores {
    /// The file in the process's folder in `/proc`.
    private static let file = "oom_score_adj"

    /// A program whose value is set.
    private struct Entry {
        let process: ProcessHandle
        /// The value before the first change, and the present value.
        let start: Int
        var value: Int
    }

    /// The programs by the numbers of their connections; nil for those whose value cannot be changed.
    private var entries: [UInt64: Entry?] = [:]
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// What determines the value of a program.
    struct Program {
        /// The number of the program's connection.
        var id: UInt64
        var role: ProgramRole
        /// Whether the user sees or hears the program.
        var isPerceived: Bool
    }

    /// Sets the values of all programs. A program that is not contained has disconnected: its value is restored.
    ///
    /// - Parameter open: Returns the process of a program that is new; nil if it cannot be identified.
    func update(_ programs: [Program], open: (UInt64) -> ProcessHandle?) {
        let ids = Set(programs.map(\.id))
        for id in entries.keys where !ids.contains(id) { restore(id) }
        for program in programs {
            let known = entries[program.id] ?? entry(open(program.id))
            entries[program.id] = .some(known.flatMap { set($0, program) })
        }
    }

    /// Restores the values of all programs, before the compositor ends.
    func restoreAll() { for id in entries.keys { restore(id) } }

    private func entry(_ process: ProcessHandle?) -> Entry? {
        guard let process, let start = process.text(of: Self.file).flatMap({ Int($0.prefix { $0 != "\n" }) }) else {
            return nil
        }
        return Entry(process: process, start: start, value: start)
    }

    /// Sets the value of a program, if it has changed; nil if that is not possible.
    private func set(_ entry: Entry, _ program: Program) -> Entry? {
        let value = OutOfMemoryScore.value(for: program.role, isPerceived: program.isPerceived, start: entry.start)
        guard value != entry.value else { return entry }
        var entry = entry
        do throws(SystemCallError) { try entry.process.write("\(value)", to: Self.file) } catch {
            logger.debug("cannot set oom_score_adj: \(error)", metadata: ["pid": "\(entry.process.processID)"])
            return nil
        }
        entry.value = value
        return entry
    }

    private func restore(_ id: UInt64) {
        guard let entry = entries.removeValue(forKey: id) ?? nil, entry.value != entry.start else { return }
        // The process may have ended.
        try? entry.process.write("\(entry.start)", to: Self.file)
    }
}
