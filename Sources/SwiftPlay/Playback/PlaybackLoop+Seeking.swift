import MediaPipeline
import SharedFrames
import SystemCalls

/// Seeks and steps by frames in the current item.
extension PlaybackLoop {
    /// Starts a seek in the current item and cancels earlier seeks.
    ///
    /// - Parameter keepsPreroll: Whether the seek is part of the pending preroll.
    func begin(_ seek: SeekCommand, keepsPreroll: Bool = false) {
        guard var item = currentItem, item.phase != .failed, seek.item == nil || seek.item === item.playerItem else {
            return seek.completion(false)
        }
        let now = MonotonicTime.now, time = max(0, seek.time)
        let stage: SeekState.Stage =
            switch item.phase {
            case .opening: .opening
            case .priming where !item.video.hasEnded: .awaitingPicture
            case .priming, .ready, .playing, .failed: .shown
            }
        let seekStart = seekState.begin(seek, stage, now: now, keepsPreroll: keepsPreroll)
        seekStart.cancelledRequests.complete()
        switch seekStart.outcome {
        case .queued: return clock.set(time, hostTime: now)
        case .queuedUntilOpened: return reporter.pendingChange = .jump
        case .running: reporter.pendingChange = .jump
        }
        item.generations.beginSeek()
        item.phase = .priming
        item.video.restart(hasTrack: item.info?.video != nil)
        item.audio.restart()
        item.stateSinceSeek = StateSinceSeek(startTime: item.info?.video == nil ? time : nil)
        displayProgress.preparedFrame = nil
        currentItem = item
        reporter.endLogPeriod(item, clock)
        clock.stop(at: now)
        clock.set(time, hostTime: now)
        flushAudio()
        for output in item.outputs { output.flush() }
        item.source.seek(SeekRequest(time: time, precision: seek.precision, generation: item.generations.video))
        core.notify(.timeJumped)
    }

    /// Cancels a start of playback that was scheduled for a host time.
    func cancelScheduledStart() {
        if let seek = seekState.cancelScheduledPlayback(
            isOpening: currentItem?.phase == .opening, now: MonotonicTime.now)
        {
            begin(seek)
        }
    }

    /// Starts the seek that waited for the picture of the previous seek.
    ///
    /// - Returns: Whether a seek was waiting.
    func beginQueuedSeek() -> Bool {
        guard let queuedSeek = seekState.takeQueuedSeek() else { return false }
        begin(queuedSeek)
        return true
    }

    /// Pauses and steps `count` frames forwards, or backwards if negative. Does not wait for frames that are not
    /// decoded yet: ``performSteps()`` continues when they arrive.
    func step(_ count: Int) {
        guard let item = currentItem, count != 0, item.info?.video?.isCoverPicture == false,
            item.video.lastFrame != nil || item.phase == .priming
        else { return }
        if item.phase == .playing { haltPlayback(now: MonotonicTime.now) }
        setRequestedRate(0)
        setStatus(.paused, nil)
        seekState.addSteps(count)
    }

    /// Carries out the pending steps by frames, as far as frames are decoded.
    func performSteps() {
        guard seekState.pendingStepCount != 0, let item = currentItem, item.phase == .ready,
            let shownFrame = item.video.lastFrame
        else { return }
        if seekState.pendingStepCount > 0 { return stepForwards() }
        let count = seekState.takePendingStepCount()
        guard item.info?.isSeekable == true, shownFrame.presentationTime > 0 else { return }
        // One step back shows the frame directly before, whatever its length. Further steps assume that all frames have
        // the current frame's length.
        let offset = Int64(count + 1) * min(max(shownFrame.duration, 1_000_000), 10_000_000_000) - 1_000_000
        var seek = SeekCommand(time: max(0, shownFrame.presentationTime + offset))
        seek.isBackwardStep = true
        begin(seek)
    }

    /// Shows the frame that the pending forward steps lead to, or the last decoded frame before it.
    private func stepForwards() {
        var lastStepFrame: VideoFrame?
        while seekState.pendingStepCount > 0 {
            if let frame = displayProgress.preparedFrame.take() {
                lastStepFrame = frame
                seekState.didStepForward()
                continue
            }
            switch currentItem?.source.video.first {
            case .frame(let frame):
                guard let frame = takeFrameFromQueue(frame) else { continue }
                lastStepFrame = frame
                seekState.didStepForward()
            case .end:
                _ = currentItem?.source.video.popIfAny()
                currentItem?.video.hasEnded = true
                _ = seekState.takePendingStepCount()
            case nil:
                if currentItem?.video.hasEnded != false { _ = seekState.takePendingStepCount() }
                guard let lastStepFrame else { return }
                // Show the last decoded frame; the remaining steps follow when more frames are decoded.
                return completeStep(on: lastStepFrame)
            }
        }
        if let lastStepFrame { completeStep(on: lastStepFrame) }
    }

    /// Shows the frame that was stepped to, and sets the clock to its time.
    private func completeStep(on frame: VideoFrame) {
        show(frame, due: MonotonicTime.now)
        clock.set(frame.presentationTime, hostTime: MonotonicTime.now)
        currentItem?.video.wasStepped = true
        reporter.pendingChange = .jump
        core.notify(.timeJumped)
    }
}

extension SeekRequest.Precision {
    /// Returns whether a seek to `time` that shows `frame` may end at the frame's time instead of at `time`.
    func canCompleteSeek(on frame: VideoFrame, at time: Int64) -> Bool {
        switch self {
        case .exact: false
        case .keyframe: true
        case .near: !(frame.presentationTime...(frame.presentationTime + max(0, frame.duration))).contains(time)
        }
    }
}
