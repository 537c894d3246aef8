import SystemCalls

/// Prerolls: buffering what playing at a rate needs, while the player is paused.
extension PlaybackLoop {
    func begin(_ wanted: PrerollCommand) {
        endPreroll(false)
        guard rate == 0, let c = current, c.info != nil, c.phase != .failed, !c.run.hasReportedEnd else { return wanted.answer.give(false) }
        seeking.begin(wanted)
        // The buffered audio was made for another speed.
        if c.phase == .ready, c.audio.isBuffered(forOtherThan: Double(wanted.rate)), c.info?.isSeekable == true {
            begin(SeekCommand(time: clock.time(at: MonotonicTime.now)), keepsPreroll: true)
        }
    }

    /// Answers the pending preroll when picture and audio are there.
    func servePreroll() {
        guard let wanted = seeking.preroll else { return }
        // The program has cancelled it.
        guard !wanted.answer.isGiven else { return endPreroll(false) }
        guard let c = current, c.phase == .ready else { return }
        let hasPicture = c.video.hasEnded || display.prepared != nil || c.source.video.first != nil
        guard hasPicture, c.audio.deadline == nil else { return }
        endPreroll(true)
    }

    /// - Parameter finished: false if something else came in between.
    func endPreroll(_ finished: Bool) { seeking.takePreroll()?.answer.give(finished) }
}
