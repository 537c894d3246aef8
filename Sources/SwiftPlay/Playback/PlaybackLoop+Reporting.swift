import MediaPipeline
import SystemCalls

/// Reports to the program, through the loop's reporter.
extension PlaybackLoop {
    /// Publishes a requested rate that the player itself has changed.
    func setRequestedRate(_ rate: Float) { reporter.setRequestedRate(rate) }

    /// Publishes whether the player plays, waits (for which reason) or is paused.
    func setStatus(_ status: PlayerTimeControlStatus, _ reason: PlayerWaitingReason?) {
        reporter.setStatus(status, reason, of: currentItem, clock)
    }

    /// Publishes the clock, the seek target and the statistics.
    func publishState() {
        reporter.publish(
            clock, seekTarget: seekState.targetTime, isAtEnd: currentItem?.stateSinceSeek.hasReportedEnd ?? false,
            audio: audioPipeline?.counters, decodeTimes: currentItem?.source.decodeTimes)
    }
}
