/// Detects whether the compositor answers the frames that it receives. A pure value.
///
/// For each frame the compositor releases an older one. If there is no release for half a second, the compositor hangs
/// or was stopped; with the next release it runs again.
struct FrameAnswerWatch {
    enum Change: Equatable { case stalled, answered }

    /// The time limit of an answer, in nanoseconds.
    var patience: Int64 = 500_000_000

    private(set) var isStalled = false
    /// The host time of the first frame without an answer since the last release.
    private var unansweredSince: Int64?

    /// Records that a frame was sent, or refused because the compositor holds too many, while it held an older one.
    mutating func sent(at now: Int64) { unansweredSince = unansweredSince ?? now }

    /// Records that the compositor released a frame.
    mutating func released() { unansweredSince = nil }

    /// Returns the change since the last call.
    mutating func check(at now: Int64) -> Change? {
        let isLate = unansweredSince.map { now - $0 >= patience } ?? false
        guard isLate != isStalled, isLate || unansweredSince == nil else { return nil }
        isStalled = isLate
        return isLate ? .stalled : .answered
    }
}
