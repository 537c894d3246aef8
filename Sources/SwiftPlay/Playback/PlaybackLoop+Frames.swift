import MediaPipeline
import SharedFrames
import SystemCalls

/// The start of playback of the current item, after it was opened or after a seek, beginning with its first frame.
extension PlaybackLoop {
    /// Carries out all work on the current item that is due.
    ///
    /// - Returns: Host time at which to call again; nil if only an event continues playback.
    func advance(now: Int64) -> Int64? {
        if current?.phase == .playing { recordPresentedFrames() } else { withdrawScheduledFrame() }
        checkDiscardedAudioEnd()
        changeTracksIfRequested()
        guard let c = current, c.info != nil else { return nil }
        switch c.phase {
        case .opening, .failed: return nil
        case .priming: return showFirstFrame()
        case .ready:
            performSteps()
            guard current?.phase == .ready else { return advance(now: now) }
            return rate == 0 ? nil : startPlaying(now: now)
        case .playing:
            if let start = nextStartTime, start - display.leadTime <= now {
                switchToNextItem(at: start)
                return advance(now: MonotonicTime.now)
            }
            let deadline = scheduleNextFrame(now: now)
            return HostTime.earlier(deadline, nextStartTime.map { $0 - display.leadTime })
        }
    }

    /// How long the picture waits for enough audio, and then for the device's first position, nanoseconds. If the
    /// device started later, the picture would have to jump back.
    private static let audioTimeout: Int64 = 3_000_000_000

    // MARK: First frame

    /// Shows the first frame after opening or a seek as soon as it is decoded.
    private func showFirstFrame() -> Int64? {
        guard var c = current else { return nil }
        if !c.video.hasEnded {
            switch c.source.video.first {
            case nil:
                guard seeking.queued != nil, let until = seeking.pictureDeadline else { return nil }
                if until > MonotonicTime.now { return until }
                _ = beginQueuedSeek()
                return nil
            case .end:
                _ = c.source.video.popIfAny()
                c.video.hasEnded = true
                current = c
            case .frame(let frame):
                guard takeFrameFromQueue(frame) else { return showFirstFrame() }
                show(frame, due: MonotonicTime.now)
                c = current ?? c
                c.run.start = seeking.running?.time ?? c.run.start ?? c.startTime(with: frame)
            }
        }
        if beginQueuedSeek() { return nil }
        if c.video.hasEnded, c.run.start == nil, let seek = seeking.running { c.run.start = seek.time }
        c.phase = .ready
        c.audio.wait(until: MonotonicTime.now + Self.audioTimeout)
        let seek = seeking.takeRunning()
        // An inexact seek starts at the time of the frame that it found.
        if let seek, let frame = c.video.lastFrame, !c.video.hasEnded,
            seek.isBackwardStep || seek.precision.canCompleteSeek(on: frame, at: seek.time)
                || c.isTargetRemoved(seek.time, before: frame)
        {
            c.run.start = frame.presentationTime
        }
        // The audio does not begin at the frame that was stepped to: align it with a seek before playback.
        if seek?.isBackwardStep == true { c.video.wasStepped = true }
        current = c
        clock.set(c.run.start ?? 0, host: MonotonicTime.now)
        passAudioToPipeline()
        if let seek {
            publishSeek()
            seek.completion(true)
            core.notify(.seekCompleted)
        }
        return rate == 0 ? nil : startPlaying(now: MonotonicTime.now)
    }

    /// Publishes the clock and, unless more seeks are queued, the end of the seek.
    private func publishSeek() {
        core.snapshot.withLock { snapshot in
            snapshot.published.clock = clock
            if snapshot.queuedSeekCount == 0 { snapshot.seekTarget = nil }
        }
    }

    /// Starts the clock and the device if there is enough media and the audio session permits it.
    private func startPlaying(now: Int64) -> Int64? {
        guard var c = current, !c.run.hasReportedEnd else { return nil }
        if let since = c.run.stalledAt, let wait = waitForMoreData(c, since: since, now: now) { return wait }
        if skipStall(since: c.run.stalledAt, now: now) { return advance(now: now) }
        c.run.stalledAt = nil
        switch c.audio.start(atRate: rate, isSeekable: c.info?.isSeekable == true, now: now) {
        case .begin: break
        case .seekFirst:
            begin(SeekCommand(time: clock.time(at: now)))
            return advance(now: now)
        case .wait(let deadline):
            setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate)
            return deadline
        case .startWithoutAudio:
            core.notify(.warning("the audio does not start in time: playing without audio"))
            c.source.setAudioFormat(nil)
            flushAudio()
            c.audio.fail()
            current = c
        }
        switch permission(now: now) {
        case .now: break
        case .wait(let until):
            setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate)
            return until
        case .never: return nil
        }
        if c.audio.usesDevice { audio?.play() }
        let deadline = now + Self.audioTimeout
        seeking.startPlaying(catchUpDeadline: deadline)
        // The device's position drives the clock. Until the first position is known, no audio is audible and the clock
        // waits. A start at a given host time needs no wait: the audio pipeline aligns the audio with that time.
        c.audio.play(awaitingPositionUntil: seeking.scheduledPlayback == nil ? deadline : nil)
        if let scheduledPlayback = seeking.scheduledPlayback {
            clock.start(at: scheduledPlayback.media, notBefore: scheduledPlayback.host, rate: Double(rate))
        } else {
            clock.start(at: clock.time(at: now), notBefore: c.audio.positionDeadline ?? now, rate: Double(rate))
        }
        c.phase = .playing
        current = c
        setStatus(.playing, nil)
        applyVolume()
        reporter.beginLogPeriod(c, clock)
        return scheduleNextFrame(now: now)
    }

    // MARK: Playback

    /// Passes the next frame to the layer's router with its time, and drops late frames.
    private func scheduleNextFrame(now: Int64) -> Int64? {
        followAudio(now: now)
        if let deadline = current?.audio.positionDeadline { return min(deadline, now + Self.positionPollInterval) }
        while true {
            // Leave the loop after a while: if every frame is dropped, the queue never runs empty, and commands would
            // wait.
            if MonotonicTime.now - now > Self.maximumDropTime { return MonotonicTime.now }
            guard let c = current, c.phase == .playing else { return nil }
            if display.preparedFrame == nil {
                switch c.source.video.first {
                case .end:
                    _ = c.source.video.popIfAny()
                    current?.video.hasEnded = true
                case .frame(let frame):
                    guard takeFrameFromQueue(frame) else { continue }
                    // Drop late frames before drawing, the most expensive step. A drawn frame is shown however late:
                    // otherwise no frame is shown if drawing takes longer than a frame lasts.
                    if display.dropPolicy.drops(isExpired(frame)) {
                        drop(frame)
                        continue
                    }
                    display.preparedFrame = frame
                case nil: break
                }
            }
            if seekToLoopStartIfDue() { return nil }
            if hasReachedChosenEnd(of: c) {
                handleItemEnd()
                return nil
            }
            guard let frame = display.preparedFrame else { return handleEmptyFrameQueue(now: now) }
            // A frame that starts at or after the item's end time is not shown.
            if let end = chosenEnd, frame.presentationTime >= end, !core.configuration.isUntimed {
                _ = layer?.router.unschedule()
                return clock.hostTime(of: end)
            }
            let isUntimed = core.configuration.isUntimed
            guard
                let due = isUntimed
                    ? MonotonicTime.now : clock.hostTime(of: frame.presentationTime).map({ $0 - display.leadTime })
            else { return nil }
            guard let router = layer?.router else {
                if due > MonotonicTime.now { return due }
                display.preparedFrame = nil
                recordVisibleFrame(frame)
                didShow(frame, due: due, shown: MonotonicTime.now, isScheduled: true)
                continue
            }
            let isOutputStuck = router.isOutputStuck(at: MonotonicTime.now)
            if isExpired(frame), isOutputStuck || MonotonicTime.now - due > Self.layerOutputTimeout {
                display.preparedFrame = nil
                drop(frame)
                continue
            }
            router.schedule(frame, due: due)
            // Call this method again after the time limit of the layer's output. The presenter's report wakes the loop
            // earlier, unless the output is stuck.
            return isOutputStuck
                ? MonotonicTime.now + Self.expiredFrameDropInterval
                : max(due, MonotonicTime.now) + Self.layerOutputTimeout
        }
    }

    /// How long the layer's output may take for a frame before newer frames replace it, nanoseconds.
    private static let layerOutputTimeout: Int64 = 1_000_000_000
    /// The time between drops of expired frames while the layer's output is stuck, nanoseconds.
    private static let expiredFrameDropInterval: Int64 = 20_000_000
    /// The time between readings of the device's position while the clock waits for the first position, nanoseconds.
    private static let positionPollInterval: Int64 = 4_000_000
    /// How long successive frames may be dropped before commands are handled, nanoseconds.
    private static let maximumDropTime: Int64 = 20_000_000
}
