import SystemCalls

/// Prerolls: buffering before playback at a rate, while the player is paused. Carries out the decisions of
/// ``PrerollPlan``.
extension PlaybackLoop {
    func begin(_ wanted: PrerollCommand) {
        endPreroll(false)
        switch prerollPlan.start(atRate: wanted.rate, rate: rate) {
        case .refuse: wanted.answer.give(false)
        case .wait: seeking.begin(wanted)
        case .renewAudio:
            seeking.begin(wanted)
            begin(SeekCommand(time: clock.time(at: MonotonicTime.now)), keepsPreroll: true)
        }
    }

    /// Completes the pending preroll when video and audio are buffered.
    func servePreroll() {
        guard let wanted = seeking.preroll else { return }
        // The program has cancelled the preroll.
        guard !wanted.answer.isGiven else { return endPreroll(false) }
        guard let c = current, prerollPlan.isFinished(hasPicture: hasPicture(c)) else { return }
        endPreroll(true)
    }

    /// Completes the pending preroll.
    ///
    /// - Parameter finished: false if the preroll was interrupted.
    func endPreroll(_ finished: Bool) { seeking.takePreroll()?.answer.give(finished) }

    private var prerollPlan: PrerollPlan {
        PrerollPlan(
            phase: current?.info == nil ? nil : current?.phase, hasReportedEnd: current?.run.hasReportedEnd == true,
            isSeekable: current?.info?.isSeekable == true, audio: current?.audio ?? .absent)
    }
}
