import MediaPipeline
import SystemCalls

/// The end of an item and its successor: carries out the decisions of ``EndPlan``.
extension PlaybackLoop {
    /// The media time from which the current item's frames are not shown; nil if the item plays to its own end.
    var chosenEnd: Int64? {
        EndPlan.firstHiddenFrameTime(
            chosen: current?.item.state.withLock { $0.end }, loop: core.snapshot.withLock { $0.settings.loop },
            time: clock.time(at: MonotonicTime.now))
    }

    /// Returns whether playback has reached the end time that the program has set.
    func hasReachedChosenEnd(of c: PlayingItem) -> Bool {
        guard let end = c.item.state.withLock({ $0.end }), let at = clock.hostTime(of: end) else { return false }
        // Without a clock (untimed mode), the time of the next frame decides.
        let isNextFrameBeyondEnd = core.configuration.isUntimed && (display.preparedFrame?.presentationTime ?? 0) >= end
        return at <= MonotonicTime.now || isNextFrameBeyondEnd
    }

    /// Handles the end of the current item: repeats, pauses, advances, or fails if nothing could be played.
    func handleItemEnd() {
        // First handle events that the source reported before the end, such as a read error.
        handleSourceEvents()
        if rejoinLiveStream() { return }
        guard let c = current else { return }
        let action = core.snapshot.withLock { $0.settings.actionAtItemEnd }
        let outcome = EndPlan.endAction(
            isReported: c.run.hasReportedEnd,
            isUnplayable: c.info?.video != nil && c.video.lastFrame == nil && !c.audio.usesDevice,
            loopStart: loopStart, action: action)
        switch outcome {
        case .none: break
        case .fail:
            current?.phase = .failed
            fail(c.item, PlaybackError(.corrupt, "no frame of the video can be decoded"))
        case .loop(let start): begin(SeekCommand(time: start))
        case .end(let actions):
            current?.run.hasReportedEnd = true
            let now = MonotonicTime.now
            for action in actions { perform(action, now: now) }
        }
    }

    /// Performs one action of ``EndPlan`` at the item's end.
    private func perform(_ action: EndPlan.Action, now: Int64) {
        guard let c = current, c.run.hasReportedEnd else { return }
        switch action {
        case .notify:
            core.notify(c.run.readError.map { .failedToPlayToEnd(c.item, PlaybackError($0)) } ?? .playedToEnd(c.item))
        case .continueClock: publishState()
        case .advance: advanceQueue()
        case .pause: pauseAtEnd(c, now: now)
        }
    }

    /// Stops the audio device and the clock, and sets the requested rate to 0.
    private func pauseAtEnd(_ c: PlayingItem, now: Int64) {
        audio?.pause()
        clock.stop(at: now)
        current?.phase = .ready
        current?.audio.pause()
        let time = EndPlan.pausedTime(
            chosen: c.item.state.withLock { $0.end }, duration: c.info?.duration, pictureEnd: c.video.lastFrameEndTime)
        if let time { clock.set(time, host: now) }
        setRequestedRate(0)
        publishState()
        setStatus(.paused, nil)
    }

    /// Handles a change of ``Player/actionAtItemEnd``.
    func actionAtItemEndChanged() {
        if let c = current, EndPlan.appliesImmediately(isReported: c.run.hasReportedEnd, phase: c.phase) {
            perform(EndPlan.action(core.snapshot.withLock { $0.settings.actionAtItemEnd }), now: MonotonicTime.now)
        }
        core.notify(.settingChanged)
    }

    /// Passes the end times of the current and the next item to the audio pipeline, after a possible change.
    func passEndTimesToPipeline() {
        for item in [current, queue.next].compactMap(\.self) {
            guard let accepted = item.openedAhead.appendedAudio ?? item.audio.acceptedAudio else { continue }
            audio?.setEnd(item.item.state.withLock { $0.end }, of: accepted.number)
        }
    }

    // MARK: Loop

    /// The start of the loop; nil without a loop, or if the item is not seekable.
    private var loopStart: Int64? {
        EndPlan.loopStart(
            core.snapshot.withLock { $0.settings.loop }, duration: current?.info?.duration,
            isSeekable: current?.info?.isSeekable == true)
    }

    /// Seeks to the start of the loop if playback has reached the loop's end.
    ///
    /// - Returns: Whether a seek was started.
    func seekToLoopStartIfDue() -> Bool {
        let loop = core.snapshot.withLock { $0.settings.loop }
        guard EndPlan.hasReachedEnd(of: loop, clock, now: MonotonicTime.now), let loopStart else { return false }
        begin(SeekCommand(time: loopStart))
        return true
    }
}
