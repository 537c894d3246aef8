import BackgroundProtocol
import CompositorProtocol
import SwiftPlay
import SwiftPlayKit

/// Ends programs at the user's request: the force quit of the overview. All functions block.
enum ProgramCloser {
    /// What has ended.
    struct Outcome: Equatable, Sendable {
        /// The processes that have ended, and whether they were killed.
        var processes: [(processID: Int32, wasKilled: Bool)] = []
        /// Whether the service for background work no longer starts the program.
        var hasQuit = false
        /// The reason why the background work could not be stopped; nil if it was.
        var warning: String?

        static func == (one: Self, other: Self) -> Bool {
            one.processes.map(\.processID) == other.processes.map(\.processID)
                && one.processes.map(\.wasKilled) == other.processes.map(\.wasKilled)
                && one.hasQuit == other.hasQuit && one.warning == other.warning
        }

        /// Whether there was no such program.
        var isEmpty: Bool { processes.isEmpty && !hasQuit }

        /// The outcome as lines of text.
        func lines(about program: String) -> [String] {
            processes.map { "\($0.processID) \($0.wasKilled ? "was killed" : "has exited")" }
                + (hasQuit ? ["\(program) is not started in the background until you open it"] : [])
        }
    }

    /// Ends a program, stops its background work, and deletes its picture.
    ///
    /// - Parameter program: The name, the identifier or the process ID of the program.
    /// - Throws: `SystemControl.Failure` if the compositor cannot be reached.
    static func close(_ program: String) throws(SystemControl.Failure) -> Outcome {
        var outcome = try quitInBackground(program)
        outcome.processes =
            try SystemControl.perform(.close(program: program), startsCompositor: true)?.closedPrograms ?? []
        return outcome
    }

    /// Closes a program for good at the service for background work, so that it is not started again.
    private static func quitInBackground(_ program: String) throws(SystemControl.Failure) -> Outcome {
        let pictures = try SystemControl.perform(.listPictures, startsCompositor: false)?.pictures ?? []
        let identifiers = Set([program] + pictures.filter { "\($0.processID)" == program }.map(\.identifier))
        var outcome = Outcome()
        do {
            let client = try ProgramClient()
            for identifier in identifiers {
                do {
                    _ = try client.perform(.control(program: identifier, .quit))
                    outcome.hasQuit = true
                } catch let refusal as ClientEvent.Refusal where refusal.code == .unknown {}
            }
        } catch { outcome.warning = "the background work of \(program) cannot be stopped: \(error)" }
        return outcome
    }
}
