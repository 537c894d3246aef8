import MediaPipeline
import SystemCalls

/// The end of an item and its successor: carries out the decisions of ``EndPlan``.
extension PlaybackLoop {
    /// The media time from which on no frame of the current item is shown; nil if it plays to its own end.
    var chosenEnd: Int64? {
        EndPlan.firstHidden(
            chosen: current?.item.state.withLock { $0.end }, loop: core.snapshot.withLock { $0.settings.loop },
            time: clock.time(at: MonotonicTime.now))
    }

    /// Returns whether playback has reached the end time that the program has set.
    func hasReachedChosenEnd(of c: PlayingItem) -> Bool {
        guard let end = c.item.state.withLock({ $0.end }), let at = clock.hostTime(of: end) else { return false }
        // Playback in untimed mode has no clock: the next frame decides.
        let isBeyond = core.configuration.isUntimed && (display.prepared?.presentationTime ?? 0) >= end
        return at <= MonotonicTime.now || isBeyond
    }

    func reachEnd() {
        // Handle events from before the end was decoded first.
        handleSourceEvents()
        guard let c = current else { return }
        let action = core.snapshot.withLock { $0.settings.actionAtItemEnd }
        let outcome = EndPlan.reached(
            isReported: c.run.hasReportedEnd,
            isUnplayable: c.info?.video != nil && c.video.lastFrame == nil && !c.audio.isForDevice,
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

    private func perform(_ action: EndPlan.Action, now: Int64) {
        guard let c = current, c.run.hasReportedEnd else { return }
        switch action {
        case .notify:
            core.tell(c.run.readError.map { .failedToPlayToEnd(c.item, PlaybackError($0)) } ?? .playedToEnd(c.item))
        case .runOn: publish()
        case .advance: advanceQueue()
        case .pause: pauseAtEnd(c, now: now)
        }
    }

    private func pauseAtEnd(_ c: PlayingItem, now: Int64) {
        sound?.pause()
        clock.stop(at: now)
        current?.phase = .ready
        current?.audio.pause()
        let time = EndPlan.pausedTime(
            chosen: c.item.state.withLock { $0.end }, duration: c.info?.duration, pictureEnd: c.video.shownEnd)
        if let time { clock.set(time, host: now) }
        setRequestedRate(0)
        publish()
        setStatus(.paused, nil)
    }

    /// Handles a change of ``Player/actionAtItemEnd``.
    func actionChanged() {
        if let c = current, EndPlan.actsAtOnce(isReported: c.run.hasReportedEnd, phase: c.phase) {
            perform(EndPlan.action(core.snapshot.withLock { $0.settings.actionAtItemEnd }), now: MonotonicTime.now)
        }
        core.tell(.settingChanged)
    }

    /// Handles a possible change of an item's end time.
    func endChanged() {
        for item in [current, queue.next].compactMap(\.self) {
            guard let feed = item.ahead.joinedFeed ?? item.audio.feed else { continue }
            sound?.setEnd(item.item.state.withLock { $0.end }, of: feed.number)
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
    /// - Returns: Whether it seeks.
    func loopIfDue() -> Bool {
        let loop = core.snapshot.withLock { $0.settings.loop }
        guard EndPlan.hasReachedEnd(of: loop, clock, now: MonotonicTime.now), let loopStart else { return false }
        begin(SeekCommand(time: loopStart))
        return true
    }
}
