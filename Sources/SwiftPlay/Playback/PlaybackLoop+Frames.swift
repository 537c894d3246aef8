import MediaPipeline
import SharedFrames
import SystemCalls

/// The start of playback of the current item, after it was opened or after a seek, beginning with its first frame.
extension PlaybackLoop {
    /// Carries out all work on the current item that is due.
    ///
    /// - Returns: The host time at which to call this method again; nil if only an event continues playback.
    func advancePlayback(now: Int64) -> Int64? {
        if currentItem?.phase == .playing { recordPresentedFrames() } else { withdrawScheduledFrame() }
        checkDiscardedAudioEnd()
        changeTracksIfRequested()
        guard let item = currentItem, item.info != nil else { return nil }
        switch item.phase {
        case .opening, .failed: return nil
        case .priming: return showFirstFrame()
        case .ready:
            performSteps()
            guard currentItem?.phase == .ready else { return advancePlayback(now: now) }
            return rate == 0 ? nil : startPlaying(now: now)
        case .playing:
            if let start = nextItemStartTime, start - displayProgress.leadTime <= now {
                switchToNextItem(at: start)
                return advancePlayback(now: MonotonicTime.now)
            }
            let deadline = scheduleNextFrame(now: now)
            return HostTime.earlier(deadline, nextItemStartTime.map { $0 - displayProgress.leadTime })
        }
    }

    /// The longest time for which the picture waits for enough audio, and again for the device's first position, in
    /// nanoseconds. If the device started after the picture, the picture would have to jump back.
    private static let audioTimeout: Int64 = 3_000_000_000

    // MARK: First frame

    /// Shows the first frame after opening or a seek as soon as it is decoded.
    private func showFirstFrame() -> Int64? {
        guard var item = currentItem else { return nil }
        if !item.video.hasEnded {
            switch item.source.video.first {
            case nil:
                guard seekState.queuedSeek != nil, let pictureDeadline = seekState.pictureDeadline else { return nil }
                if pictureDeadline > MonotonicTime.now { return pictureDeadline }
                _ = beginQueuedSeek()
                return nil
            case .end:
                _ = item.source.video.popIfAny()
                item.video.hasEnded = true
                currentItem = item
            case .frame(let frame):
                guard let frame = takeFrameFromQueue(frame) else { return showFirstFrame() }
                show(frame, due: MonotonicTime.now)
                item = currentItem ?? item
                item.stateSinceSeek.startTime =
                    seekState.runningSeek?.time ?? item.stateSinceSeek.startTime ?? item.startTime(with: frame)
            }
        }
        if beginQueuedSeek() { return nil }
        if item.video.hasEnded, item.stateSinceSeek.startTime == nil, let seek = seekState.runningSeek {
            item.stateSinceSeek.startTime = seek.time
        }
        item.phase = .ready
        item.audio.wait(until: MonotonicTime.now + Self.audioTimeout)
        let seek = seekState.takeRunningSeek()
        // An inexact seek starts at the time of the frame that it found.
        if let seek, let frame = item.video.lastFrame, !item.video.hasEnded,
            seek.isBackwardStep || seek.precision.canCompleteSeek(on: frame, at: seek.time)
                || item.isSeekTargetRemoved(seek.time, before: frame)
        {
            item.stateSinceSeek.startTime = frame.presentationTime
        }
        // The audio does not begin at the frame that was stepped to: align it with a seek before playback.
        if seek?.isBackwardStep == true { item.video.wasStepped = true }
        currentItem = item
        clock.set(item.stateSinceSeek.startTime ?? 0, hostTime: MonotonicTime.now)
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
        guard var item = currentItem, !item.stateSinceSeek.hasReportedEnd else { return nil }
        if let stallHostTime = item.stateSinceSeek.stallHostTime,
            let nextCheckTime = waitForMoreData(item, stalledSince: stallHostTime, now: now)
        {
            return nextCheckTime
        }
        if skipStalledTime(since: item.stateSinceSeek.stallHostTime, now: now) { return advancePlayback(now: now) }
        item.stateSinceSeek.stallHostTime = nil
        switch item.audio.startAction(atRate: rate, isSeekable: item.info?.isSeekable == true, now: now) {
        case .startNow: break
        case .seekToCurrentTime:
            begin(SeekCommand(time: clock.time(at: now)))
            return advancePlayback(now: now)
        case .wait(let deadline):
            setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate)
            return deadline
        case .startWithoutAudio:
            core.notify(.warning("the audio does not start in time: playing without audio"))
            item.source.setAudioFormat(nil)
            flushAudio()
            item.audio.fail()
            currentItem = item
        }
        switch playbackPermission(now: now) {
        case .now: break
        case .wait(let deadline):
            setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate)
            return deadline
        case .never: return nil
        }
        if item.audio.usesDevice { audioPipeline?.play() }
        let deadline = now + Self.audioTimeout
        seekState.startPlaying(catchUpDeadline: deadline)
        // The device's position drives the clock. Until the first position is known, no audio is audible and the clock
        // waits. A start at a given host time needs no wait: the audio pipeline aligns the audio with that time.
        item.audio.play(awaitingPositionUntil: seekState.scheduledPlayback == nil ? deadline : nil)
        if let scheduledPlayback = seekState.scheduledPlayback {
            clock.start(at: scheduledPlayback.mediaTime, notBefore: scheduledPlayback.hostTime, rate: Double(rate))
        } else {
            clock.start(at: clock.time(at: now), notBefore: item.audio.firstPositionDeadline ?? now, rate: Double(rate))
        }
        item.phase = .playing
        currentItem = item
        setStatus(.playing, nil)
        applyVolume()
        reporter.beginLogPeriod(item, clock, now: now)
        return scheduleNextFrame(now: now)
    }

    // MARK: Playback

    /// Passes the next frame to the layer's router with its time, and drops late frames.
    private func scheduleNextFrame(now: Int64) -> Int64? {
        followAudio(now: now)
        if let deadline = currentItem?.audio.firstPositionDeadline {
            return min(deadline, now + Self.positionPollInterval)
        }
        while true {
            // Leave the loop after a while: if every frame is dropped, the queue never runs empty, and commands would
            // wait.
            if MonotonicTime.now - now > Self.maximumDropTime { return MonotonicTime.now }
            guard let item = currentItem, item.phase == .playing else { return nil }
            if displayProgress.preparedFrame == nil {
                switch item.source.video.first {
                case .end:
                    _ = item.source.video.popIfAny()
                    currentItem?.video.hasEnded = true
                case .frame(let frame):
                    guard let frame = takeFrameFromQueue(frame) else { continue }
                    // Drop late frames before drawing, the most expensive step. A drawn frame is shown however late:
                    // otherwise no frame is shown if drawing takes longer than a frame lasts.
                    if displayProgress.dropPolicy.drops(isExpired(frame)) {
                        drop(frame)
                        continue
                    }
                    displayProgress.preparedFrame = frame
                case nil: break
                }
            }
            if seekToLoopStartIfDue() { return nil }
            if hasReachedForwardPlaybackEndTime(of: item) {
                handleItemEnd()
                return nil
            }
            guard let frame = displayProgress.preparedFrame else { return handleEmptyFrameQueue(now: now) }
            // A frame that starts at or after the item's end time is not shown.
            if let end = firstHiddenFrameTime, frame.presentationTime >= end, !core.configuration.isUntimed {
                _ = layer?.router.unschedule()
                return clock.hostTime(of: end)
            }
            let isUntimed = core.configuration.isUntimed
            guard
                let due = isUntimed
                    ? MonotonicTime.now
                    : clock.hostTime(of: frame.presentationTime).map({ $0 - displayProgress.leadTime })
            else { return nil }
            guard let router = layer?.router else {
                if due > MonotonicTime.now { return due }
                displayProgress.preparedFrame = nil
                recordVisibleFrame(frame)
                didShow(frame, due: due, shownTime: MonotonicTime.now, isScheduled: true)
                continue
            }
            let isOutputStuck = router.isOutputStuck(at: MonotonicTime.now)
            if isExpired(frame), isOutputStuck || MonotonicTime.now - due > Self.layerOutputTimeout {
                displayProgress.preparedFrame = nil
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

    /// The time for which the layer's output may work on a frame before newer frames replace the frame, in nanoseconds.
    private static let layerOutputTimeout: Int64 = 1_000_000_000
    /// The time between drops of expired frames while the layer's output is stuck, in nanoseconds.
    private static let expiredFrameDropInterval: Int64 = 20_000_000
    /// The time between readings of the device's position while the clock waits for the first position, in nanoseconds.
    private static let positionPollInterval: Int64 = 4_000_000
    /// The longest time for which successive frames are dropped before commands are handled, in nanoseconds.
    private static let maximumDropTime: Int64 = 20_000_000
}
