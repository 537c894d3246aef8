import SwiftPlay
import SystemCalls

/// Ends programs one after the other on a thread, so that the window of the overview stays usable. Used by one thread.
final class ProgramClosingQueue: Sendable {
    /// The result for one program.
    struct Result: Sendable {
        let program: String
        /// The text for the user.
        let text: String
    }

    private struct State: Sendable {
        var waiting: [String] = []
        /// The program that is being ended.
        var current: String?
        var results: [Result] = []
        var isClosed = false
        var thread: NamedThread?
    }

    /// The most programs that wait.
    private static let limit = 256
    /// The time for which the end of the last program is awaited, in nanoseconds.
    private static let timeout: Int64 = 4_000_000_000

    /// Ends a program. Blocks.
    typealias Close = @Sendable (String) throws(SystemControl.Failure) -> ProgramCloser.Outcome

    private let closeProgram: Close
    private let state = Monitor(State())
    /// Signalled after each result.
    let eventDescriptor: EventDescriptor

    init(_ close: @escaping Close = ProgramCloser.close) throws(SystemCallError) {
        closeProgram = close
        eventDescriptor = try EventDescriptor()
    }

    /// Ends a program, unless it is being ended already.
    func close(_ program: String) {
        let hasFailed = state.update { state in
            guard !state.isClosed, state.current != program, !state.waiting.contains(program),
                state.waiting.count < Self.limit
            else { return false }
            state.waiting.append(program)
            if state.thread == nil { state.thread = try? NamedThread("overview closing") { [self] in run() } }
            guard state.thread == nil else { return false }
            state.waiting = []
            state.results.append(Result(program: program, text: "cannot be ended: the system permits no more threads"))
            return true
        }
        if hasFailed { eventDescriptor.signal() }
    }

    /// The programs that are being ended.
    var programs: Set<String> { state.withLock { Set($0.waiting + [$0.current].compactMap(\.self)) } }

    /// Returns the results since the last call of this method.
    func takeResults() -> [Result] {
        eventDescriptor.drain()
        return state.withLock { state in
            defer { state.results = [] }
            return state.results
        }
    }

    /// Ends the thread once the current program has ended.
    func end() {
        let thread = state.update { state in
            (state.isClosed, state.waiting) = (true, [])
            return state.thread.take()
        }
        // A service that hangs must not keep the process from exiting.
        if let thread, !thread.join(until: MonotonicTime.now + Self.timeout) { thread.detach() }
    }

    private func run() {
        while true {
            let next = state.wait { state -> String?? in
                if state.isClosed { return .some(nil) }
                guard !state.waiting.isEmpty else { return nil }
                state.current = state.waiting.removeFirst()
                return state.current
            }
            guard case .some(.some(let program)) = next else { return }
            let result: Result
            do throws(SystemControl.Failure) {
                let outcome = try closeProgram(program)
                let text = outcome.warning ?? outcome.lines(about: program).joined(separator: "; ")
                result = Result(program: program, text: text)
            } catch { result = Result(program: program, text: error.description) }
            state.update { state in
                state.current = nil
                state.results.append(result)
            }
            eventDescriptor.signal()
        }
    }
}
