import Foundation

/// What the kernel says of a thread of this process.
package struct ThreadState: Sendable {
    private let path: String

    /// The thread that calls.
    package static var current: ThreadState {
        get throws {
            ThreadState(
                path: "/proc/" + (try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")))
        }
    }

    /// Whether the thread waits for something (state `S` of its `stat`); false also once it has ended.
    package var isSleeping: Bool {
        guard let line = try? String(contentsOfFile: path + "/stat", encoding: .utf8) else { return false }
        // The state follows the name in parentheses, which may itself contain parentheses.
        return line.split(separator: ")").last?.trimmingCharacters(in: .whitespaces).first == "S"
    }
}
