/// Detects whether the compositor still releases the frames that it receives. A pure value.
///
/// For each frame that the compositor receives, it releases an older frame. If it releases no frame for half a second,
/// it hangs or was stopped. The next release shows that it runs again.
struct FrameReleaseMonitor {
    /// A change of the compositor: `stalled` if it has stopped releasing frames, `resumed` if it releases frames again.
    enum Change: Equatable { case stalled, resumed }

    /// The time without a release after which the compositor counts as stalled, in nanoseconds.
    var timeout: Int64 = 500_000_000

    /// Whether the compositor has stopped releasing frames.
    private(set) var isStalled = false
    /// The host time at which the first frame since the last release was sent; nil if none was sent.
    private var awaitingReleaseSince: Int64?

    /// Records that a frame was sent, or could not be sent because the compositor holds too many frames. Call it only
    /// while the compositor holds an older frame.
    mutating func recordSentFrame(at now: Int64) { awaitingReleaseSince = awaitingReleaseSince ?? now }

    /// Records that the compositor released a frame.
    mutating func recordReleasedFrame() { awaitingReleaseSince = nil }

    /// Returns whether the compositor has stopped or resumed releasing frames since the last call; nil if neither.
    mutating func check(at now: Int64) -> Change? {
        let isLate = awaitingReleaseSince.map { now - $0 >= timeout } ?? false
        guard isLate != isStalled, isLate || awaitingReleaseSince == nil else { return nil }
        isStalled = isLate
        return isLate ? .stalled : .resumed
    }
}
