import SystemCalls

/// Prerolls: buffering what playing at a rate needs, while the player is paused. Carries out what ``PrerollPlan``
/// decides.
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

    /// Answers the pending preroll when picture and audio are there.
    func servePreroll() {
        guard let wanted = seeking.preroll else { return }
        // The program has cancelled it.
        guard !wanted.answer.isGiven else { return endPreroll(false) }
        guard let c = current, prerollPlan.isFinished(hasPicture: hasPicture(c)) else { return }
        endPreroll(true)
    }

    /// - Parameter finished: false if something else came in between.
    func endPreroll(_ finished: Bool) { seeking.takePreroll()?.answer.give(finished) }

    private var prerollPlan: PrerollPlan {
        PrerollPlan(
            phase: current?.info == nil ? nil : current?.phase, hasReportedEnd: current?.run.hasReportedEnd == true,
            isSeekable: current?.info?.isSeekable == true, audio: current?.audio ?? .absent)
    }
}
