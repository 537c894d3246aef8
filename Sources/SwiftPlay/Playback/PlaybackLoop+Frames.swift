import MediaPipeline
import SharedFrames
import SystemCalls

extension PlaybackLoop {
    /// Does what is due, and says when something is due next (host nanoseconds; nil: only when woken).
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

    /// Nanoseconds for which the picture waits for enough audio, and then for the device's first position. A device
    /// that begins later would set back a picture that ran ahead.
    private static let audioPatience: Int64 = 3_000_000_000

    // MARK: first frame

    /// Shows the first frame after opening or a seek as soon as there is one.
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
        // A seek that landed elsewhere goes on where the picture does.
        if let seek, let frame = c.video.lastFrame, !c.video.hasEnded,
            seek.isStep || seek.precision.mayLand(on: frame, at: seek.time)
        {
            c.run.start = frame.presentationTime
        }
        // Its sound was cut off where the seek went.
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
            core.tell(.warning("the sound does not start: playing without it"))
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
        // The device's position is the clock. Nothing is heard before the first one, so the clock waits for it, except
        // in a start at a host time, to which the audio path keeps by itself.
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

    // MARK: playing

    private func play(now: Int64) -> Int64? {
        followAudio(now: now)
        if let deadline = current?.audio.positionDeadline { return min(deadline, now + Self.positionInterval) }
        while true {
            // Where every frame is dropped there is always another one: commands are handled all the same.
            if MonotonicTime.now - now > Self.longestTurn { return MonotonicTime.now }
            guard let c = current, c.phase == .playing else { return nil }
            if display.prepared == nil {
                switch c.source.video.first {
                case .end:
                    _ = c.source.video.popIfAny()
                    current?.video.hasEnded = true
                case .frame(let frame):
                    guard take(frame) else { continue }
                    // Before it is drawn, which costs the most: what is drawn is shown, however late. Where drawing
                    // takes longer than a frame lasts, nothing would be seen otherwise.
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
            // A picture that begins where playing ends is not shown.
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
            // The presenter's report wakes the loop before that, unless the display is stuck.
            return isStuck ? MonotonicTime.now + Self.stuckInterval : max(due, MonotonicTime.now) + Self.displayPatience
        }
    }

    /// How long a display may take for a frame before newer ones take its place, nanoseconds.
    private static let displayPatience: Int64 = 1_000_000_000
    /// How often frames that are over are dropped while the display is stuck, nanoseconds.
    private static let stuckInterval: Int64 = 20_000_000
    /// Nanoseconds between two polls of the device's position while the clock waits for the first one.
    private static let positionInterval: Int64 = 4_000_000
    /// How long frames may be dropped one after the other before commands are handled, nanoseconds.
    private static let longestTurn: Int64 = 20_000_000
}
