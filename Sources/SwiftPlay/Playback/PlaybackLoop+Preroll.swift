import SystemCalls

/// Prerolls: buffering before playback at a rate, while the player is paused. Carries out the decisions of
/// ``PrerollPlan``.
extension PlaybackLoop {
    /// Starts a preroll, or completes it with `false` if no preroll is possible.
    func begin(_ preroll: PrerollCommand) {
        endPreroll(false)
        switch prerollPlan.startAction(atRate: preroll.rate, rate: rate) {
        case .refuse: preroll.completion.complete(false)
        case .wait: seekState.begin(preroll)
        case .rebufferAudio:
            seekState.begin(preroll)
            begin(SeekCommand(time: clock.time(at: MonotonicTime.now)), keepsPreroll: true)
        }
    }

    /// Completes the pending preroll when video and audio are buffered.
    func updatePreroll() {
        guard let preroll = seekState.preroll else { return }
        // The completion was called already: the program has cancelled the preroll.
        guard !preroll.completion.isCompleted else { return endPreroll(false) }
        guard let item = currentItem, prerollPlan.isFinished(isVideoReady: isVideoReady(item)) else { return }
        endPreroll(true)
    }

    /// Completes the pending preroll.
    ///
    /// - Parameter finished: false if the preroll was interrupted.
    func endPreroll(_ finished: Bool) { seekState.takePreroll()?.completion.complete(finished) }

    /// The values on which the decisions about prerolls depend.
    private var prerollPlan: PrerollPlan {
        PrerollPlan(
            phase: currentItem?.info == nil ? nil : currentItem?.phase,
            hasReportedEnd: currentItem?.stateSinceSeek.hasReportedEnd == true,
            isSeekable: currentItem?.info?.isSeekable == true, audio: currentItem?.audio ?? .disconnected)
    }
}
