import MediaPipeline
import SystemCalls

/// Reports to the program, through the loop's reporter.
extension PlaybackLoop {
    func setRequestedRate(_ rate: Float) { reporter.setRequestedRate(rate) }

    func setStatus(_ status: PlayerTimeControlStatus, _ reason: PlayerWaitingReason?) {
        reporter.setStatus(status, reason, of: current, clock)
    }

    func publish() {
        reporter.publish(
            clock, seekTarget: seeking.target, isAtEnd: current?.run.hasReportedEnd ?? false, audio: sound?.figures,
            decodeTimes: current?.source.decodeTimes)
    }
}
