/// Decides whether a preroll can begin, and when it has finished: a pure value.
struct PrerollPlan: Hashable, Sendable {
    enum Start: Hashable, Sendable {
        /// The preroll is answered with `false`.
        case refuse
        case wait
        /// A seek to the current time comes first: the buffered audio was made for another rate.
        case renewAudio
    }

    /// The phase of the current item; nil while its source is not open, or without an item.
    var phase: PlaybackPhase?
    var hasReportedEnd: Bool
    var isSeekable: Bool
    var audio: AudioProgress

    /// - Parameters:
    ///   - wanted: the rate of the preroll.
    ///   - rate: the requested rate of the player.
    func start(atRate wanted: Float, rate: Float) -> Start {
        guard rate == 0, let phase, phase != .failed, !hasReportedEnd else { return .refuse }
        return phase == .ready && audio.isBuffered(forOtherThan: Double(wanted)) && isSeekable ? .renewAudio : .wait
    }

    /// - Parameter hasPicture: whether a frame is decoded, or no more frames come.
    func isFinished(hasPicture: Bool) -> Bool { phase == .ready && hasPicture && audio.deadline == nil }
}
