import BackgroundProtocol
import SwiftPlayBackground
import SystemCalls

/// The connection of a command to the service for fetches and notifications.
final class ProgramClient: Sendable {
    /// The longest time for an answer: a fetch lasts at most 32 s, and the start of its program 20 s.
    private static let timeout: Int64 = 75 * MonotonicTime.nanosecondsPerSecond
    /// The programs that the service has reported.
    private let programs = Monitor<[BackgroundProgram]>([])
    private let link: BackgroundLink

    /// Creates a client that is not connected yet.
    init() throws {
        let programs = programs
        link = try BackgroundLink(program: ProgramDescription(name: "swiftplay")) { event, _ in
            if case .program(let program) = event { programs.withLock { $0.append(program) } }
        }
    }

    /// Returns the programs that the service wakes, in the order of their names.
    func list() throws -> [BackgroundProgram] {
        _ = try link.answer(to: .listPrograms)
        return programs.withLock { $0 }
    }

    /// Carries out a command and returns its answer.
    func perform(_ command: ClientCommand) throws -> ClientEvent {
        try link.answer(to: command, timeout: Self.timeout)
    }
}
