import AudioPolicy
import CompositorProtocol
import SystemCalls

/// Switches the sound server's output to its speaker port while an audio session requests the speaker, and restores the
/// previous port afterwards.
///
/// A background thread, which starts with the first request, handles the requests. Only the background thread waits
/// for the sound server.
final class OutputOverride: Sendable {
    /// A request to begin or end the use of the speaker port.
    struct Request: Sendable {
        /// The audio session that made the request.
        let owner: AudioArbiter.ID
        /// True to begin the use of the speaker port, false to end it.
        let isSpeaker: Bool
        /// The kind of answer that the requesting session receives; `nil` for no answer.
        var replyKind: ReplyKind?

        /// A kind of answer to a request.
        enum ReplyKind: Sendable {
            /// The session receives the result of the request.
            case outcome
            /// The session receives a refusal, after the answers to earlier requests.
            case refusal
        }
    }

    /// The queues of requests and answers between the main thread and the background thread.
    private struct State {
        /// The requests that the background thread has not handled yet.
        var requests = OutputRequestQueue()
        /// The answers to sessions' requests that the main thread has not fetched yet, oldest first.
        var replies: [(owner: AudioArbiter.ID, outcome: OutputOverrideOutcome)] = []
        /// Whether the background thread must end after the remaining requests.
        var isClosed = false
    }

    /// The event descriptor that becomes readable when there are answers to sessions' requests.
    let replyReady: EventDescriptor
    /// The queues of requests and answers, which the main thread shares with the background thread.
    private let state = Monitor(State())
    /// The background thread; `nil` before the first request.
    private let thread = Monitor<NamedThread?>(nil)
    /// The time limit for one request at the sound server, in nanoseconds.
    private static let timeout: Int64 = 1_000_000_000

    /// Creates the service. The background thread starts with the first request.
    init() throws(SystemCallError) { replyReady = try EventDescriptor() }

    /// Restores the output's previous port and ends the background thread.
    deinit {
        state.update { $0.isClosed = true }
        thread.withLock { $0.take() }?.join()
    }

    /// Enqueues a request to begin or end the use of the speaker port. The requests of a session are answered in order.
    /// If too many requests are pending, or without a background thread, a request is answered with `noSoundServer` at
    /// once; a request to end the use of the speaker port is handled nevertheless (see ``OutputRequestQueue``).
    ///
    /// Callable from any thread; never waits for the sound server.
    func handle(_ request: Request) {
        let hasThread = thread.withLock { thread in
            let (state, replyReady) = (state, replyReady)
            if thread == nil { thread = try? NamedThread("output port") { Self.run(state, replyReady) } }
            return thread != nil
        }
        // Without the thread no request was ever handled, so that no session uses the speaker port.
        let isAccepted = hasThread && state.update { $0.requests.add(request) }
        guard !isAccepted, request.replyKind != nil else { return }
        state.update { $0.replies.append((request.owner, .noSoundServer)) }
        replyReady.signal()
    }

    /// Removes and returns the answers to sessions' requests that have arrived from the background thread.
    func takeReplies() -> [(owner: AudioArbiter.ID, outcome: OutputOverrideOutcome)] {
        replyReady.drain()
        return state.withLock { state in
            defer { state.replies = [] }
            return state.replies
        }
    }

    // MARK: Background thread

    /// A change of the port of one output of the sound server.
    private struct PortChange {
        /// The sound server's name of the output.
        let sink: String
        /// The name of the port that was in use before the change; `nil` if unknown.
        let previousPort: String?
        /// The name of the speaker port that is in use now.
        let speakerPort: String
    }

    /// Handles requests until the service is closed, and then restores the output's previous port.
    private static func run(_ state: Monitor<State>, _ replyReady: EventDescriptor) {
        var speakerOwners: Set<AudioArbiter.ID> = [], change: PortChange?
        while true {
            let nextEntry: OutputRequestQueue.Entry?? = state.wait { state in
                if let entry = state.requests.takeFirst() { return .some(entry) }
                return state.isClosed ? .some(nil) : nil
            }
            guard case .some(.some(let entry)) = nextEntry else { break }
            var outcome = OutputOverrideOutcome.done
            if entry.isSpeaker == true {
                if speakerOwners.isEmpty { outcome = playOnSpeaker(&change) }
                if outcome == .done { speakerOwners.insert(entry.owner) }
            } else if entry.isSpeaker == false, speakerOwners.remove(entry.owner) != nil, speakerOwners.isEmpty {
                restore(&change)
            }
            let answers = entry.answers(for: outcome)
            guard !answers.isEmpty else { continue }
            state.update { state in
                for answer in answers { state.replies.append((entry.owner, answer)) }
            }
            replyReady.signal()
        }
        restore(&change)
    }

    /// Switches the default output to its speaker port, and stores the change in `change` if the port changed. Returns
    /// the result for the session.
    private static func playOnSpeaker(_ change: inout PortChange?) -> OutputOverrideOutcome {
        guard let server = SoundServerConnection(until: MonotonicTime.now + timeout),
            let output = server.ports()
        else { return .noSoundServer }
        guard let speaker = output.speakerPort else { return .noSpeaker }
        guard speaker != output.activePort else { return .done }
        guard server.setPort(speaker, of: output.sink) else { return .noSpeaker }
        change = PortChange(sink: output.sink, previousPort: output.activePort, speakerPort: speaker)
        return .done
    }

    /// Restores the output's port that was in use before the speaker port, unless the user has chosen another port
    /// meanwhile.
    private static func restore(_ change: inout PortChange?) {
        guard let appliedChange = change.take(), let previousPort = appliedChange.previousPort,
            let server = SoundServerConnection(until: MonotonicTime.now + timeout),
            server.ports(of: appliedChange.sink)?.activePort == appliedChange.speakerPort
        else { return }
        _ = server.setPort(previousPort, of: appliedChange.sink)
    }
}
