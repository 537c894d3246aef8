import MediaPipeline
import SharedFrames
import SystemCalls

extension PlaybackLoop {
    /// Carries out everything that is due.
    ///
    /// - Returns: Host time of the next deadline; nil if only an event continues playback.
    func advance(now: Int64) -> Int64? {
        if current?.phase == .playing { notePictures() } else { holdPicture() }
        dropDiscardedAudio()
        changeTracksIfWanted()
        guard let c = current, c.info != nil else { return nil }
        switch c.phase {
        case .opening, .failed: return nil
        case .priming: return prime()
        case .ready:
            serveSteps()
            guard current?.phase == .ready else { return advance(now: now) }
            return rate == 0 ? nil : startPlaying(now: now)
        case .playing:
            if let turn = nextTurn, turn - display.lead <= now {
                join(at: turn)
                return advance(now: MonotonicTime.now)
            }
            let deadline = play(now: now)
            return HostTime.earlier(deadline, nextTurn.map { $0 - display.lead })
        }
    }

    /// How long the picture waits for enough audio, and then for the device's first position, nanoseconds. A device
    /// that starts later would set back a picture that has run ahead.
    private static let audioPatience: Int64 = 3_000_000_000

    // MARK: First frame

    /// Shows the first frame after opening or a seek as soon as it is decoded.
    private func prime() -> Int64? {
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
                guard take(frame) else { return prime() }
                show(frame, due: MonotonicTime.now)
                c = current ?? c
                c.run.start = seeking.running?.time ?? c.run.start ?? c.beginning(with: frame)
            }
        }
        if beginQueuedSeek() { return nil }
        if c.video.hasEnded, c.run.start == nil, let seek = seeking.running { c.run.start = seek.time }
        c.phase = .ready
        c.audio.wait(until: MonotonicTime.now + Self.audioPatience)
        let seek = seeking.takeRunning()
        // An inexact seek starts at the time of the frame that it found.
        if let seek, let frame = c.video.lastFrame, !c.video.hasEnded,
            seek.isStep || seek.precision.mayLand(on: frame, at: seek.time)
        {
            c.run.start = frame.presentationTime
        }
        // After a step, audio from before the stepped frame is missing.
        if seek?.isStep == true { c.video.isStepped = true }
        current = c
        clock.set(c.run.start ?? 0, host: MonotonicTime.now)
        feedAudio()
        if let seek {
            publishSeek()
            seek.completion(true)
            core.tell(.seekCompleted)
        }
        return rate == 0 ? nil : startPlaying(now: MonotonicTime.now)
    }

    private func publishSeek() {
        core.snapshot.withLock { snapshot in
            snapshot.published.clock = clock
            if snapshot.seeksAhead == 0 { snapshot.seekTarget = nil }
        }
    }

    private func startPlaying(now: Int64) -> Int64? {
        guard var c = current, !c.run.hasReportedEnd else { return nil }
        if let since = c.run.stalledAt, let wait = waitForMore(c, since: since, now: now) { return wait }
        c.run.stalledAt = nil
        switch c.audio.start(atRate: rate, isSeekable: c.info?.isSeekable == true, now: now) {
        case .begin: break
        case .renew:
            begin(SeekCommand(time: clock.time(at: now)))
            return advance(now: now)
        case .wait(let deadline):
            setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate)
            return deadline
        case .giveUp:
            core.tell(.warning("the audio does not start in time: playing without audio"))
            c.source.setSoundFormat(nil)
            flushSound()
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
        if c.audio.isForDevice { sound?.play() }
        let deadline = now + Self.audioPatience
        seeking.startPlaying(catchUpDeadline: deadline)
        // The device's position drives the clock. Until the first position is known, no audio is audible and the clock
        // waits. A start at a host time needs no wait: the audio path aligns itself.
        c.audio.play(awaitingPositionUntil: seeking.appointment == nil ? deadline : nil)
        if let appointment = seeking.appointment {
            clock.start(at: appointment.media, notBefore: appointment.host, rate: Double(rate))
        } else {
            clock.start(at: clock.time(at: now), notBefore: c.audio.positionDeadline ?? now, rate: Double(rate))
        }
        c.phase = .playing
        current = c
        setStatus(.playing, nil)
        applyVolume()
        reporter.beginLog(c, clock)
        return play(now: now)
    }

    // MARK: Playback

    private func play(now: Int64) -> Int64? {
        followAudio(now: now)
        if let deadline = current?.audio.positionDeadline { return min(deadline, now + Self.positionInterval) }
        while true {
            // If every frame is dropped, the queue never runs empty; commands must still be handled.
            if MonotonicTime.now - now > Self.longestTurn { return MonotonicTime.now }
            guard let c = current, c.phase == .playing else { return nil }
            if display.prepared == nil {
                switch c.source.video.first {
                case .end:
                    _ = c.source.video.popIfAny()
                    current?.video.hasEnded = true
                case .frame(let frame):
                    guard take(frame) else { continue }
                    // Drop late frames before drawing, the most expensive step. A drawn frame is shown however late:
                    // otherwise no frame is shown if drawing takes longer than a frame lasts.
                    if display.grace.drops(isOver(frame)) {
                        drop(frame)
                        continue
                    }
                    display.prepared = frame
                case nil: break
                }
            }
            if loopIfDue() { return nil }
            if hasReachedChosenEnd(of: c) {
                reachEnd()
                return nil
            }
            guard let frame = display.prepared else { return endOrWait(now: now) }
            // A frame that starts at or after the end is not shown.
            if let end = chosenEnd, frame.presentationTime >= end, !core.configuration.isUntimed {
                _ = layer?.router.hold()
                return clock.hostTime(of: end)
            }
            let isUntimed = core.configuration.isUntimed
            guard
                let due = isUntimed
                    ? MonotonicTime.now : clock.hostTime(of: frame.presentationTime).map({ $0 - display.lead })
            else { return nil }
            guard let router = layer?.router else {
                if due > MonotonicTime.now { return due }
                display.prepared = nil
                commit(frame)
                noteShown(frame, due: due, shown: MonotonicTime.now, isScheduled: true)
                continue
            }
            let isStuck = router.isStuck(at: MonotonicTime.now)
            if isOver(frame), isStuck || MonotonicTime.now - due > Self.displayPatience {
                display.prepared = nil
                drop(frame)
                continue
            }
            router.schedule(frame, due: due)
            // The presenter's report wakes the loop earlier, unless the display is stuck.
            return isStuck ? MonotonicTime.now + Self.stuckInterval : max(due, MonotonicTime.now) + Self.displayPatience
        }
    }

    /// How long a display may take for a frame before newer frames replace it, nanoseconds.
    private static let displayPatience: Int64 = 1_000_000_000
    /// The interval at which expired frames are dropped while the display is stuck, nanoseconds.
    private static let stuckInterval: Int64 = 20_000_000
    /// The interval at which the device's position is read while the clock waits for the first one, nanoseconds.
    private static let positionInterval: Int64 = 4_000_000
    /// How long successive frames may be dropped before commands are handled, nanoseconds.
    private static let longestTurn: Int64 = 20_000_000
}
