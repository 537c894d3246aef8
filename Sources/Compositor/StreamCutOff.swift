import Logging
import SystemCalls

/// Ends the streams of programs that ignore orders to be silent, at the sound server.
///
/// A thread of its own waits for the server. Without a sound server, or for a program that plays to a sound card
/// directly, streams cannot be ended.
///
/// A stream is ended instead of muted, because a sound server saves a program's mute state for its next run.
final class StreamCutOff: Sendable {
    private struct State {
        var processes: Set<Int32> = []
        var isClosed = false
    }

    private let state = Monitor(State())
    /// The thread, which starts with the first request.
    private let thread = Monitor<NamedThread?>(nil)
    private let onEnd: @Sendable (Set<Int32>) -> Void
    /// The time limit for an answer of the sound server, in nanoseconds.
    private static let patience: Int64 = 1_000_000_000

    /// - Parameter onEnd: Called on the thread "cut off" with the processes whose streams were ended.
    init(onEnd: @escaping @Sendable (Set<Int32>) -> Void) { self.onEnd = onEnd }

    deinit {
        state.update { $0.isClosed = true }
        thread.withLock { $0.take() }?.join()
    }

    /// Ends the current streams of a process. Returns at once.
    ///
    /// - Throws: `SystemCallError` if the thread cannot start.
    func end(_ process: Int32) throws(SystemCallError) {
        state.update { _ = $0.processes.insert(process) }
        try thread.withLock { thread throws(SystemCallError) in
            guard thread == nil else { return }
            let (state, onEnd) = (state, onEnd)
            thread = try NamedThread("cut off") { Self.serve(state, onEnd) }
        }
    }

    /// Ends the streams of a process that is audible although its gates are closed and acknowledged.
    static func endAudible(_ process: Int32, with streams: StreamCutOff, _ logger: Logger) {
        do throws(SystemCallError) {
            logger.notice("a program is audible although its gate is closed", metadata: ["pid": "\(process)"])
            try streams.end(process)
        } catch {
            logger.error(
                "cannot end the audio streams of a program that must be silent: \(error)",
                metadata: ["pid": "\(process)"])
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
