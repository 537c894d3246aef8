/// Decides whether a preroll (buffering before playback) can start, and when it has finished: a pure value.
struct PrerollPlan: Hashable, Sendable {
    /// The first step of a preroll.
    enum StartAction: Hashable, Sendable {
        /// No preroll is possible: its completion handler receives `false`.
        case refuse
        /// Wait until picture and audio are buffered.
        case wait
        /// The buffered audio was stretched for another rate: seek to the current time first.
        case rebufferAudio
    }

    /// The phase of the current item; nil if there is no item or its source is not open.
    var phase: PlaybackPhase?
    /// Whether the item's end was reported.
    var hasReportedEnd: Bool
    var isSeekable: Bool
    /// The progress of the item's audio.
    var audio: AudioProgress

    /// Returns the first step of a preroll.
    ///
    /// - Parameters:
    ///   - prerollRate: The rate of the preroll.
    ///   - rate: The requested rate of the player.
    func startAction(atRate prerollRate: Float, rate: Float) -> StartAction {
        guard rate == 0, let phase, phase != .failed, !hasReportedEnd else { return .refuse }
        return phase == .ready && audio.isBuffered(forOtherThan: Double(prerollRate)) && isSeekable
            ? .rebufferAudio : .wait
    }

    /// Returns whether a pending preroll has finished.
    ///
    /// - Parameter isVideoReady: Whether a frame is decoded, or no more frames follow.
    func isFinished(isVideoReady: Bool) -> Bool { phase == .ready && isVideoReady && audio.bufferingDeadline == nil }
}
