import AudioPolicy
import CompositorProtocol

/// The pending requests for the sound server's speaker port, combined for each audio session: a value.
///
/// Only the newest request of a session determines the port. Requests that it replaces are answered together with it,
/// in the order of the session's requests. A request that ends the use of the speaker port is never dropped.
struct OutputRequestQueue {
    /// The pending requests of one audio session.
    struct Entry: Sendable {
        /// The audio session that made the requests.
        let owner: AudioArbiter.ID
        /// True to begin the use of the speaker port, false to end it; `nil` if the requests change nothing.
        fileprivate(set) var isSpeaker: Bool?
        /// The answers in the order of the requests; `nil` stands for the result of the change.
        fileprivate var answers: [OutputOverrideOutcome?] = []

        fileprivate init(owner: AudioArbiter.ID) { self.owner = owner }

        /// Returns the answers to the requests, in their order.
        ///
        /// - Parameter outcome: The result of the change that ``isSpeaker`` states.
        func answers(for outcome: OutputOverrideOutcome) -> [OutputOverrideOutcome] { answers.map { $0 ?? outcome } }
    }

    /// The largest number of pending requests that receive an answer.
    static let answerLimit = 64

    /// The pending requests, oldest first; at most one entry for each session.
    private(set) var entries: [Entry] = []
    /// The sessions whose newest request began the use of the speaker port. Other sessions need no request to end it.
    private var speakerUsers: Set<AudioArbiter.ID> = []

    /// Adds a request.
    ///
    /// - Returns: False if the request needs an answer and too many answers are pending. Such a request to begin the
    ///   use of the speaker port is dropped; a request to end the use is pending, but the caller must answer it.
    mutating func add(_ request: OutputOverride.Request) -> Bool {
        let isAccepted = request.replyKind == nil || entries.reduce(0) { $0 + $1.answers.count } < Self.answerLimit
        let index = entries.firstIndex { $0.owner == request.owner }
        var entry = index.map { entries[$0] } ?? Entry(owner: request.owner)
        var answer: OutputOverrideOutcome?
        if request.replyKind == .refusal {
            answer = .notAllowed
        } else if request.isSpeaker {
            guard isAccepted else { return false }
            speakerUsers.insert(request.owner)
            entry.isSpeaker = true
        } else {
            if speakerUsers.remove(request.owner) != nil { entry.isSpeaker = false }
            answer = .done
        }
        if isAccepted, request.replyKind != nil { entry.answers.append(answer) }
        if let index {
            entries[index] = entry
        } else if entry.isSpeaker != nil || !entry.answers.isEmpty {
            entries.append(entry)
        }
        return isAccepted
    }

    /// Removes and returns the requests of the session that has waited longest; `nil` if the queue is empty.
    mutating func takeFirst() -> Entry? { entries.isEmpty ? nil : entries.removeFirst() }
}
