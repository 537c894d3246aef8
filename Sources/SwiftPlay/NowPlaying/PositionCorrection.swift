import VideoOutput

/// Decides when the position is sent to the desktop although no seek took place. A pure value; times are host times in
/// nanoseconds.
///
/// MPRIS has no state for a player that waits for media: the status stays `Playing`, and the desktop advances the
/// position that it shows. The specification demands the signal `Seeked` whenever the position differs from the
/// position that the desktop shows.
struct PositionCorrection: Sendable {
    /// The host time since which the player waits for media; nil if the player does not wait.
    private var waitStart: Int64?
    /// The host time of the last correction during the wait; nil before the first correction.
    private var lastCorrectionTime: Int64?

    /// The time between two corrections while the player waits, in nanoseconds.
    static let interval: Int64 = 1_000_000_000

    /// The host time at which ``update(isWaiting:at:)`` must be called; nil if there is no such time.
    var deadline: Int64? { lastCorrectionTime.map { $0 + Self.interval } ?? waitStart.map { $0 + BusyIndicator.delay } }

    /// Records whether the player waits for media although playback was requested.
    ///
    /// - Returns: Whether the position must be sent: after a wait of ``BusyIndicator/delay``, then once for each
    ///   ``interval``, and at the end of such a wait.
    mutating func update(isWaiting: Bool, at now: Int64) -> Bool {
        guard isWaiting else {
            waitStart = nil
            return lastCorrectionTime.take() != nil
        }
        waitStart = waitStart ?? now
        guard let deadline, now >= deadline else { return false }
        lastCorrectionTime = now
        return true
    }
}
