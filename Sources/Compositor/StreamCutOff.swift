import Logging
import SystemCalls

/// Takes sound away from programs that go on with it against the rules (D-9): at the sound server, on a thread that may
/// wait for it. Where there is none, or a program plays into a card by itself, nobody else can.
///
/// A stream is ended, not muted: a sound server remembers of a program that it was muted, for the next time that it
/// runs.
final class StreamCutOff: Sendable {
    private struct State {
        var processes: Set<Int32> = []
        var isClosed = false
    }

    private let state = Monitor(State())
    /// Made with the first process.
    private let thread = Monitor<NamedThread?>(nil)
    private let onEnd: @Sendable (Set<Int32>) -> Void
    /// Nanoseconds that the sound server has for an answer.
    private static let patience: Int64 = 1_000_000_000

    /// - Parameter onEnd: called on the thread "cut off" with the processes that had a stream.
    init(onEnd: @escaping @Sendable (Set<Int32>) -> Void) { self.onEnd = onEnd }

    deinit {
        state.update { $0.isClosed = true }
        thread.withLock { $0.take() }?.join()
    }

    /// Ends what it plays now.
    func end(_ process: Int32) throws(SystemCallError) {
        state.update { _ = $0.processes.insert(process) }
        try thread.withLock { thread throws(SystemCallError) in
            guard thread == nil else { return }
            let (state, onEnd) = (state, onEnd)
            thread = try NamedThread("cut off") { Self.serve(state, onEnd) }
        }
    }

    /// Ends what a process plays although its gates are closed and acknowledged.
    static func endAudible(_ process: Int32, with streams: StreamCutOff, _ logger: Logger) {
        do throws(SystemCallError) {
            logger.notice("a program is heard although its gate is closed", metadata: ["pid": "\(process)"])
            try streams.end(process)
        } catch {
            logger.error(
                "cannot end the sound of a program that must be silent: \(error)", metadata: ["pid": "\(process)"])
        }
    }

    private static func serve(_ state: Monitor<State>, _ onEnd: (Set<Int32>) -> Void) {
        while true {
            let next: Set<Int32>?? = state.wait { state in
                if state.isClosed { return .some(nil) }
                defer { state.processes = [] }
                return state.processes.isEmpty ? nil : .some(state.processes)
            }
            guard case .some(.some(let processes)) = next else { return }
            let ended = SoundServerVisit.endStreams(of: processes, until: MonotonicTime.now + patience)
            if let ended, !ended.isEmpty { onEnd(ended) }
        }
    }
}
