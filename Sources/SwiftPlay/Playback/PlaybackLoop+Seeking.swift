import MediaPipeline
import SharedFrames
import SystemCalls

/// Seeks and steps by frames in the current item.
extension PlaybackLoop {
    /// Starts a seek in the current item and cancels earlier seeks.
    ///
    /// - Parameter keepsPreroll: Whether the seek is part of the pending preroll.
    func begin(_ seek: SeekCommand, keepsPreroll: Bool = false) {
        guard var c = current, c.phase != .failed, seek.item == nil || seek.item === c.item else {
            return seek.completion(false)
        }
        let now = MonotonicTime.now, time = max(0, seek.time)
        let stage: Seeking.Stage =
            switch c.phase {
            case .opening: .opening
            case .priming where !c.video.hasEnded: .awaitingPicture
            case .priming, .ready, .playing, .failed: .shown
            }
        let begun = seeking.begin(seek, stage, now: now, keepsPreroll: keepsPreroll)
        begun.cancelled.complete()
        switch begun.outcome {
        case .queued: return clock.set(time, host: now)
        case .queuedUntilOpened: return reporter.pendingChange = .jump
        case .running: reporter.pendingChange = .jump
        }
        c.generations.begin()
        c.phase = .priming
        c.video.restart(hasTrack: c.info?.video != nil)
        c.audio.restart()
        c.run = PlaybackRun(start: c.info?.video == nil ? time : nil)
        display.preparedFrame = nil
        current = c
        reporter.endLogPeriod(c, clock)
        clock.stop(at: now)
        clock.set(time, host: now)
        flushAudio()
        for output in c.outputs { output.flush() }
        c.source.seek(SeekRequest(time: time, precision: seek.precision, generation: c.generations.picture))
        core.notify(.timeJumped)
    }

    /// Cancels a start of playback that was scheduled for a host time.
    func cancelScheduledStart() {
        if let seek = seeking.cancelScheduledPlayback(isOpening: current?.phase == .opening, now: MonotonicTime.now) {
            begin(seek)
        }
    }

    /// Starts the seek that waited for the picture of the previous seek.
    ///
    /// - Returns: Whether a seek was waiting.
    func beginQueuedSeek() -> Bool {
        guard let queued = seeking.takeQueued() else { return false }
        begin(queued)
        return true
    }

    /// Pauses and steps `count` frames forwards, or backwards if negative. Does not wait for frames that are not
    /// decoded yet: ``performSteps()`` continues when they arrive.
    func step(_ count: Int) {
        guard let c = current, count != 0, c.info?.video?.isCoverPicture == false,
            c.video.lastFrame != nil || c.phase == .priming
        else { return }
        if c.phase == .playing { haltPlayback(now: MonotonicTime.now) }
        setRequestedRate(0)
        setStatus(.paused, nil)
        seeking.step(count)
    }

    /// Carries out the pending steps by frames, as far as frames are decoded.
    func performSteps() {
        guard seeking.steps != 0, let c = current, c.phase == .ready, let shown = c.video.lastFrame else { return }
        if seeking.steps > 0 { return stepForwards() }
        let count = seeking.takeSteps()
        guard c.info?.isSeekable == true, shown.presentationTime > 0 else { return }
        // One step back shows the frame directly before, whatever its length. Further steps assume that all frames have
        // the current frame's length.
        let back = Int64(count + 1) * min(max(shown.duration, 1_000_000), 10_000_000_000) - 1_000_000
        var seek = SeekCommand(time: max(0, shown.presentationTime + back))
        seek.isBackwardStep = true
        begin(seek)
    }

    /// Shows the frame that is `steps` frames further, as far as frames are decoded.
    private func stepForwards() {
        var last: VideoFrame?
        while seeking.steps > 0 {
            if let frame = display.preparedFrame.take() {
                last = frame
                seeking.stepped()
                continue
            }
            switch current?.source.video.first {
            case .frame(let frame):
                guard takeFrameFromQueue(frame) else { continue }
                last = frame
                seeking.stepped()
            case .end:
                _ = current?.source.video.popIfAny()
                current?.video.hasEnded = true
                _ = seeking.takeSteps()
            case nil:
                if current?.video.hasEnded != false { _ = seeking.takeSteps() }
                guard let last else { return }
                // Show the last decoded frame; the remaining steps follow when more frames are decoded.
                return completeStep(on: last)
            }
        }
        if let last { completeStep(on: last) }
    }

    /// Shows the frame that was stepped to, and sets the clock to its time.
    private func completeStep(on frame: VideoFrame) {
        show(frame, due: MonotonicTime.now)
        clock.set(frame.presentationTime, host: MonotonicTime.now)
        current?.video.wasStepped = true
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
