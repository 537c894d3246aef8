import SystemCalls

/// Getting everything ready that playing at a rate needs, while the player stands.
extension PlaybackLoop {
    func begin(_ wanted: PlayerCore.Preroll) {
        endPreroll(false)
        guard rate == 0, let c = current, c.info != nil, c.phase != .failed, !c.hasReportedEnd else { return wanted.answer.give(false) }
        preroll = wanted
        // What is in the ring was made for another speed.
        if c.phase == .ready, c.audio.isBuffered(forOtherThan: Double(wanted.rate)), c.info?.isSeekable == true {
            restartsForPreroll = true
            begin(PlayerCore.SeekCommand(time: clock.time(at: MonotonicTime.now), precision: .exact) { _ in })
            restartsForPreroll = false
        }
    }

    /// Answers when picture and sound are there.
    func servePreroll() {
        guard let wanted = preroll else { return }
        // Called off.
        if wanted.answer.isGiven { return preroll = nil }
        guard let c = current, c.phase == .ready else { return }
        let hasPicture = c.videoHasEnded || prepared != nil || c.source.video.first != nil
        guard hasPicture, c.audio.deadline == nil else { return }
        endPreroll(true)
    }

    /// - Parameter finished: false: something else came in between.
    func endPreroll(_ finished: Bool) { preroll.take()?.answer.give(finished) }
}
