/// Whether the compositor still answers the frames that it is sent: a pure value.
///
/// Each frame makes the compositor release an older one. A frame for which nothing is released for half a second means
/// that the compositor hangs or was stopped; the next release means that it runs again.
struct FrameAnswerWatch {
    enum Change: Equatable { case stalled, answered }

    /// How long an answer may take, nanoseconds.
    var patience: Int64 = 500_000_000

    private(set) var isStalled = false
    /// Host time of the first frame since the last release that should have led to one.
    private var unansweredSince: Int64?

    /// A frame was sent, or could not be since the compositor holds too many, while the compositor held an older one.
    mutating func sent(at now: Int64) { unansweredSince = unansweredSince ?? now }

    /// The compositor has released a frame.
    mutating func released() { unansweredSince = nil }

    /// Returns what has changed since the last call.
    mutating func check(at now: Int64) -> Change? {
        let isLate = unansweredSince.map { now - $0 >= patience } ?? false
        guard isLate != isStalled, isLate || unansweredSince == nil else { return nil }
        isStalled = isLate
        return isLate ? .stalled : .answered
    }
}
