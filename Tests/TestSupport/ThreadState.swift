import Foundation

/// The scheduling state of a thread of this process, read from `/proc`.
package struct ThreadState: Sendable {
    private let path: String

    /// The state of the calling thread.
    package static var current: ThreadState {
        get throws {
            ThreadState(
                path: "/proc/" + (try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")))
        }
    }

    /// Whether the thread sleeps (state `S` in its file `stat`). False after the thread has exited.
    package var isSleeping: Bool {
        guard let line = try? String(contentsOfFile: path + "/stat", encoding: .utf8) else { return false }
        // The state follows the thread name, which is in parentheses and may itself contain parentheses.
        return line.split(separator: ")").last?.trimmingCharacters(in: .whitespaces).first == "S"
    }
}
