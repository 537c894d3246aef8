extension AudioProgress {
    /// The step that the item's audio needs before playback starts.
    enum StartAction: Hashable, Sendable {
        /// No step is needed: the clock and the device start now.
        case startNow
        /// The buffered audio was stretched for another rate: seek to the current time first.
        case seekToCurrentTime
        /// There is too little audio to start: playback waits until this host time.
        case wait(until: Int64)
        /// The audio is not ready in time: playback starts without it.
        case startWithoutAudio
    }

    /// Returns the step that the item's audio needs before playback starts.
    ///
    /// - Parameters:
    ///   - rate: The requested rate.
    ///   - isSeekable: Whether the item can seek.
    ///   - now: The present host time.
    func startAction(atRate rate: Float, isSeekable: Bool, now: Int64) -> StartAction {
        if isPrimed, isBuffered(forOtherThan: Double(rate)), isSeekable { return .seekToCurrentTime }
        guard let bufferingDeadline else { return .startNow }
        return now < bufferingDeadline ? .wait(until: bufferingDeadline) : .startWithoutAudio
    }
}
