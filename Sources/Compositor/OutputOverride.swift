import AudioPolicy
import CompositorProtocol
import SystemCalls

/// Switches the sound server to its speaker port while a session requests that, and back afterwards.
///
/// The work runs on a thread of its own, which starts with the first request. Only that thread waits for the server.
final class OutputOverride: Sendable {
    /// A request to begin or end an override.
    struct Request: Sendable {
        let owner: AudioArbiter.ID
        /// True to begin the override, false to end it.
        let isSpeaker: Bool
        /// The kind of answer; `nil` for no answer.
        var answersWith: Answer?

        enum Answer: Sendable {
            /// The outcome of the request.
            case outcome
            /// A refusal, sent after the answers to earlier requests.
            case refusal
        }
    }

    private struct State {
        var requests: [Request] = []
        var answers: [(owner: AudioArbiter.ID, outcome: OutputOverrideOutcome)] = []
        var isClosed = false
    }

    /// Readable when there are answers.
    let answered: EventDescriptor
    private let state = Monitor(State())
    private let thread = Monitor<NamedThread?>(nil)
    /// The time limit for one request at the sound server, in nanoseconds.
    private static let patience: Int64 = 1_000_000_000
    /// The largest number of pending requests. Further ones are answered with `noSoundServer`.
    private static let requestLimit = 64

    init() throws(SystemCallError) { answered = try EventDescriptor() }

    /// Ends all overrides.
    deinit {
        state.update { $0.isClosed = true }
        thread.withLock { $0.take() }?.join()
    }

    /// Enqueues a request. Requests are handled and answered in order. Any thread; never waits for the server.
    func handle(_ request: Request) {
        let isTaken = state.update { state in
            // The end of an override is never dropped.
            guard state.requests.count < Self.requestLimit || request.answersWith == nil else { return false }
            state.requests.append(request)
            return true
        }
        let hasThread = thread.withLock { thread in
            let (state, answered) = (state, answered)
            if thread == nil { thread = try? NamedThread("output port") { Self.serve(state, answered) } }
            return thread != nil
        }
        guard !isTaken || !hasThread else { return }
        state.update { state in
            if !hasThread { state.requests = [] }
            if request.answersWith != nil { state.answers.append((request.owner, .noSoundServer)) }
        }
        answered.signal()
    }

    /// Removes and returns the answers that have arrived.
    func takeAnswers() -> [(owner: AudioArbiter.ID, outcome: OutputOverrideOutcome)] {
        answered.drain()
        return state.withLock { state in
            defer { state.answers = [] }
            return state.answers
        }
    }

    // MARK: the thread "output port"

    /// An output whose port was changed.
    private struct Change {
        let sink: String
        let before: String?
        let speaker: String
    }

    private static func serve(_ state: Monitor<State>, _ answered: EventDescriptor) {
        var owners: Set<AudioArbiter.ID> = [], change: Change?
        while true {
            let next: Request?? = state.wait { state in
                if !state.requests.isEmpty { return .some(state.requests.removeFirst()) }
                return state.isClosed ? .some(nil) : nil
            }
            guard case .some(.some(let request)) = next else { break }
            var outcome = OutputOverrideOutcome.notAllowed
            if case .refusal? = request.answersWith {
            } else if request.isSpeaker {
                outcome = .done
                if owners.isEmpty { outcome = playOnSpeaker(&change) }
                if outcome == .done { owners.insert(request.owner) }
            } else {
                outcome = .done
                if owners.remove(request.owner) != nil, owners.isEmpty { restore(&change) }
            }
            guard request.answersWith != nil else { continue }
            state.update { $0.answers.append((request.owner, outcome)) }
            answered.signal()
        }
        restore(&change)
    }

    private static func playOnSpeaker(_ change: inout Change?) -> OutputOverrideOutcome {
        guard let server = SoundServerConnection(until: MonotonicTime.now + patience),
            let output = server.ports()
        else { return .noSoundServer }
        guard let speaker = output.speaker else { return .noSpeaker }
        guard speaker != output.active else { return .done }
        guard server.setPort(speaker, of: output.sink) else { return .noSpeaker }
        change = Change(sink: output.sink, before: output.active, speaker: speaker)
        return .done
    }

    /// Restores the port that was active before the speaker, unless the user has chosen another port meanwhile.
    private static func restore(_ change: inout Change?) {
        guard let made = change.take(), let before = made.before,
            let server = SoundServerConnection(until: MonotonicTime.now + patience),
            server.ports(of: made.sink)?.active == made.speaker
        else { return }
        _ = server.setPort(before, of: made.sink)
    }
}
