import MediaPipeline
import SystemCalls

/// The end of an item and its successor: carries out the decisions of ``EndPlan``.
extension PlaybackLoop {
    /// The media time from which the current item's frames are not shown; nil if the item plays to its own end.
    var firstHiddenFrameTime: Int64? {
        EndPlan.firstHiddenFrameTime(
            forwardPlaybackEndTime: currentItem?.playerItem.state.withLock { $0.end },
            loop: core.snapshot.withLock { $0.settings.loop },
            time: clock.time(at: MonotonicTime.now))
    }

    /// Returns whether playback has reached the end time that the program has set.
    func hasReachedForwardPlaybackEndTime(of item: PlayingItem) -> Bool {
        guard let end = item.playerItem.state.withLock({ $0.end }), let endHostTime = clock.hostTime(of: end) else {
            return false
        }
        // Without a clock (untimed mode), the time of the next frame decides.
        let isNextFrameBeyondEnd =
            core.configuration.isUntimed && (displayProgress.preparedFrame?.presentationTime ?? 0) >= end
        return endHostTime <= MonotonicTime.now || isNextFrameBeyondEnd
    }

    /// Handles the end of the current item: repeats, pauses, advances, or fails if nothing could be played.
    func handleItemEnd() {
        // First handle events that the source reported before the end, such as a read error.
        handleSourceEvents()
        if rejoinLiveStream() { return }
        guard let item = currentItem else { return }
        let actionAtItemEnd = core.snapshot.withLock { $0.settings.actionAtItemEnd }
        let outcome = EndPlan.outcome(
            hasReportedEnd: item.stateSinceSeek.hasReportedEnd,
            isUnplayable: item.info?.video != nil && item.video.lastFrame == nil && !item.audio.usesDevice,
            loopStart: loopStart, actionAtItemEnd: actionAtItemEnd)
        switch outcome {
        case .none: break
        case .fail:
            currentItem?.phase = .failed
            fail(item.playerItem, PlaybackError(.corrupt, "no frame of the video can be decoded"))
        case .loop(let start): begin(SeekCommand(time: start))
        case .end(let actions):
            currentItem?.stateSinceSeek.hasReportedEnd = true
            let now = MonotonicTime.now
            for action in actions { perform(action, now: now) }
        }
    }

    /// Performs one action of ``EndPlan`` at the item's end.
    private func perform(_ action: EndPlan.Action, now: Int64) {
        guard let item = currentItem, item.stateSinceSeek.hasReportedEnd else { return }
        switch action {
        case .notify:
            core.notify(
                item.stateSinceSeek.readError.map { .failedToPlayToEnd(item.playerItem, PlaybackError($0)) }
                    ?? .playedToEnd(item.playerItem))
        case .continueClock: publishState()
        case .advance: advanceQueue()
        case .pause: pauseAtEnd(item, now: now)
        }
    }

    /// Stops the audio device and the clock, and sets the requested rate to 0.
    private func pauseAtEnd(_ item: PlayingItem, now: Int64) {
        audioPipeline?.pause()
        clock.stop(at: now)
        currentItem?.phase = .ready
        currentItem?.audio.pause()
        let time = EndPlan.pausedTime(
            forwardPlaybackEndTime: item.playerItem.state.withLock { $0.end }, duration: item.info?.duration,
            lastFrameEndTime: item.video.lastFrameEndTime)
        if let time { clock.set(time, hostTime: now) }
        // Publish the end before the rate: a program that reads the rate 0 must also read that the item has ended.
        publishState()
        setRequestedRate(0)
        setStatus(.paused, nil)
    }

    /// Handles a change of ``Player/actionAtItemEnd``.
    func applyActionAtItemEnd() {
        if let item = currentItem,
            EndPlan.appliesImmediately(hasReportedEnd: item.stateSinceSeek.hasReportedEnd, phase: item.phase)
        {
            let actionAtItemEnd = core.snapshot.withLock { $0.settings.actionAtItemEnd }
            perform(EndPlan.action(for: actionAtItemEnd), now: MonotonicTime.now)
        }
        core.notify(.settingChanged)
    }

    /// Passes the end times of the current and the next item to the audio pipeline, after a possible change.
    func passEndTimesToPipeline() {
        for item in [currentItem, itemQueue.nextItem].compactMap(\.self) {
            guard let acceptedAudio = item.preloadState.appendedAudio ?? item.audio.acceptedAudio else { continue }
            audioPipeline?.setEnd(item.playerItem.state.withLock { $0.end }, of: acceptedAudio.number)
        }
    }

    // MARK: Loop

    /// The start of the loop; nil without a loop, or if the item is not seekable.
    private var loopStart: Int64? {
        EndPlan.loopStart(
            core.snapshot.withLock { $0.settings.loop }, duration: currentItem?.info?.duration,
            isSeekable: currentItem?.info?.isSeekable == true)
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
