import Logging
import SystemCalls

/// Ends, at the sound server, the streams of programs that ignore commands to be silent.
///
/// A background thread waits for the server. Without a sound server, or for a program that plays to a sound card
/// directly, streams cannot be ended.
///
/// A stream is ended instead of muted, because a sound server saves a program's mute state and restores it when the
/// program starts again.
final class StreamTerminator: Sendable {
    /// The state that the main thread shares with the background thread.
    private struct State {
        /// The processes whose streams must be ended, each with a function that returns whether this is still so.
        var processes: [Int32: @Sendable () -> Bool] = [:]
        /// Whether the background thread must end.
        var isClosed = false
    }

    /// The state shared with the background thread.
    private let state = Monitor(State())
    /// The background thread, which starts with the first request; `nil` before.
    private let thread = Monitor<NamedThread?>(nil)
    /// Called on the background thread with the IDs of the processes whose streams were ended.
    private let onEnd: @Sendable (Set<Int32>) -> Void
    /// The time limit for an answer of the sound server, in nanoseconds.
    private static let timeout: Int64 = 1_000_000_000

    /// Creates the object; `onEnd` is called on the background thread with the processes whose streams were ended.
    init(onEnd: @escaping @Sendable (Set<Int32>) -> Void) { self.onEnd = onEnd }

    /// Ends the background thread.
    deinit {
        state.update { $0.isClosed = true }
        thread.withLock { $0.take() }?.join()
    }

    /// Requests that the sound server ends all current audio streams of a process. Returns at once.
    ///
    /// - Parameters:
    ///   - processID: The process ID.
    ///   - mustBeSilent: Called on the background thread directly before the streams are ended. If it returns false,
    ///     because the process has become audible with permission, the streams continue.
    /// - Throws: `SystemCallError` if the thread cannot start.
    func endStreams(
        of processID: Int32, while mustBeSilent: @escaping @Sendable () -> Bool
    ) throws(SystemCallError) {
        state.update { $0.processes[processID] = mustBeSilent }
        try thread.withLock { thread throws(SystemCallError) in
            guard thread == nil else { return }
            let (state, onEnd) = (state, onEnd)
            thread = try NamedThread("stream end") { Self.run(state, onEnd) }
        }
    }

    /// Ends the streams of a process that is audible although the compositor closed its gates (muted it).
    static func endStreamsOfAudibleProcess(
        _ processID: Int32, while mustBeSilent: @escaping @Sendable () -> Bool, with streams: StreamTerminator,
        _ logger: Logger
    ) {
        do throws(SystemCallError) {
            logger.notice("a program is audible although its gate is closed", metadata: ["pid": "\(processID)"])
            try streams.endStreams(of: processID, while: mustBeSilent)
        } catch {
            logger.error(
                "cannot end the audio streams of a program that must be silent: \(error)",
                metadata: ["pid": "\(processID)"])
        }
    }

    /// Ends streams on request until the ``StreamTerminator`` is released.
    private static func run(_ state: Monitor<State>, _ onEnd: (Set<Int32>) -> Void) {
        while true {
            let nextProcesses: [Int32: @Sendable () -> Bool]?? = state.wait { state in
                if state.isClosed { return .some(nil) }
                defer { state.processes = [:] }
                return state.processes.isEmpty ? nil : .some(state.processes)
            }
            guard case .some(.some(let processes)) = nextProcesses else { return }
            let endedProcesses = SoundServerStreams.endStreams(
                while: { processes[$0]?() ?? false }, until: MonotonicTime.now + timeout)
            if let endedProcesses, !endedProcesses.isEmpty { onEnd(endedProcesses) }
        }
    }
}
