import MediaPipeline
import SharedFrames
import SystemCalls

extension PlaybackLoop {
    /// Does what is due, and says when something is due next (host nanoseconds; nil: only when woken).
    func advance(now: Int64) -> Int64? {
        hearEndOfUnheardSound()
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
            if let turn = nextTurn, turn - lead <= now {
                join(at: turn)
                return advance(now: MonotonicTime.now)
            }
            let deadline = play(now: now)
            return Self.earlier(deadline, nextTurn.map { $0 - lead })
        }
    }

    /// Where no sound path takes what is decoded, only its end is told.
    private func hearEndOfUnheardSound() {
        guard let c = current, c.soundIsUnheard, case .end? = c.source.audio.popIfAny() else { return }
        current?.soundHasEnded = true
    }

    /// How long the picture waits for the sound to be ready, and then for the device to begin, nanoseconds. A device that begins late
    /// would set a picture back that ran ahead.
    private static let soundPatienceLimit: Int64 = 3_000_000_000

    // MARK: first frame

    /// Shows the first frame after opening or a seek as soon as there is one.
    private func prime() -> Int64? {
        guard var c = current else { return nil }
        if !c.videoHasEnded {
            switch c.source.video.first {
            case nil:
                guard c.queuedSeek != nil, let until = c.pictureDeadline else { return nil }
                if until > MonotonicTime.now { return until }
                _ = beginQueuedSeek()
                return nil
            case .end:
                _ = c.source.video.popIfAny()
                c.videoHasEnded = true
                current = c
            case .frame(let frame):
                guard take(frame) else { return prime() }
                show(frame, due: MonotonicTime.now)
                c = current ?? c
                c.start = c.seek?.time ?? c.start ?? c.beginning(with: frame)
            }
        }
        if beginQueuedSeek() { return nil }
        c.pictureDeadline = nil
        if c.videoHasEnded, c.start == nil, let seek = c.seek { c.start = seek.time }
        c.phase = .ready
        c.soundDeadline = MonotonicTime.now + Self.soundPatienceLimit
        let seek = c.seek.take()
        // A seek that landed elsewhere goes on where the picture does.
        if let seek, let frame = c.lastFrame, !c.videoHasEnded, seek.isStep || seek.precision.mayLand(on: frame, at: seek.time) {
            c.start = frame.presentationTime
        }
        // Its sound was cut off where the seek went.
        if seek?.isStep == true { c.needsResync = true }
        current = c
        clock.set(c.start ?? 0, host: MonotonicTime.now)
        feedSound()
        if let seek {
            publishSeek()
            seek.completion(true)
            core.tell(.seekCompleted)
        }
        return rate == 0 ? nil : startPlaying(now: MonotonicTime.now)
    }

    private func publishSeek() {
        core.snapshot.withLock { snapshot in
            snapshot.clock = clock
            if snapshot.seeksAhead == 0 { snapshot.seekTarget = nil }
        }
    }

    /// Lets the sound begin at the moment the picture does, once both are known.
    func feedSound() {
        guard let c = current, c.hasSound, soundIsOpen, c.phase == .ready || c.phase == .playing, let sound, !c.soundIsPrimed else { return }
        // In a pause, for the speed that is likely to come.
        let speed = Double(rate == 0 ? preroll?.rate ?? core.snapshot.withLock { max($0.defaultRate, 0.01) } : max(rate, 0.01))
        current?.soundSpeed = speed
        current?.soundFeed = sound.feed(
            from: c.source, generation: c.soundGeneration, start: c.start, end: c.item.state.withLock { $0.end }, speed: speed,
            keepsPitch: c.item.audioTimePitchAlgorithm.keepsPitch, startsAt: rate == 0 ? nil : appointment?.host)
    }

    private func startPlaying(now: Int64) -> Int64? {
        guard var c = current else { return nil }
        if c.hasReportedEnd { return nil }
        if c.isStalled, let wait = waitForMore(c, now: now) { return wait }
        c.isStalled = false
        if c.hasSound, !c.soundHasEnded, c.soundIsPrimed, c.soundSpeed != Double(rate), c.info?.isSeekable == true {
            // What is in the ring was made for another speed. While nothing is in it, the device may not be open yet, and no speed is known.
            begin(PlayerCore.SeekCommand(time: clock.time(at: now), precision: .exact) { _ in })
            return advance(now: now)
        }
        if c.hasSound, !c.soundIsPrimed {
            guard now >= c.soundDeadline else {
                setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate)
                return c.soundDeadline
            }
            core.tell(.warning("the sound does not start: playing without it"))
            c.source.setSoundFormat(nil)
            flushSound()
            c.hasSound = false
            c.soundHasEnded = true
            current = c
        }
        switch permission(now: now) {
        case .now: break
        case .wait(let until):
            setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate)
            return until
        case .never: return nil
        }
        if c.hasSound { sound?.play() }
        soundHasSpoken = !c.hasSound || c.soundHasEnded || appointment != nil
        (soundPatience, beganWithoutSound) = (now + Self.soundPatienceLimit, false)
        // Where there is sound its device tells the time, and until it does nothing is heard: time stands as the picture does. Of an
        // appointment it is the sound that keeps to it.
        if let appointment {
            clock.start(at: appointment.media, notBefore: appointment.host, rate: Double(rate))
        } else {
            clock.start(at: clock.time(at: now), notBefore: soundHasSpoken ? now : soundPatience, rate: Double(rate))
        }
        c.phase = .playing
        current = c
        setStatus(.playing, nil)
        applyVolume()
        beginLog()
        return play(now: now)
    }

    // MARK: playing

    private func play(now: Int64) -> Int64? {
        followSound(now: now)
        guard soundHasSpoken else { return min(soundPatience, now + 4_000_000) }
        var hasShown = false
        while true {
            // Where drawing takes longer than frames last one is always due: commands are heard all the same.
            if hasShown, MonotonicTime.now - now > Self.longestTurn { return MonotonicTime.now }
            guard let c = current, c.phase == .playing else { return nil }
            if prepared == nil {
                switch c.source.video.first {
                case .end:
                    _ = c.source.video.popIfAny()
                    current?.videoHasEnded = true
                case .frame(let frame):
                    guard take(frame) else { continue }
                    // Before it is drawn, which costs the most: what is drawn is shown, however late. Where drawing takes longer than a frame
                    // lasts, nothing would be seen otherwise.
                    if grace.drops(isOver(frame)) {
                        statistics.framesDropped += 1
                        continue
                    }
                    prepared = frame
                    layer?.router.prepare(frame)
                case nil: break
                }
            }
            if let loop = core.snapshot.withLock({ $0.loop }), loop.end != .max, let at = clock.hostTime(of: loop.end), at <= MonotonicTime.now,
                clock.time(at: MonotonicTime.now) - loop.end < 1_000_000_000, goRound() {
                return nil
            }
            if let end = c.item.state.withLock({ $0.end }), let at = clock.hostTime(of: end), at <= MonotonicTime.now || isBeyond(end) {
                reachEnd()
                return nil
            }
            guard let frame = prepared else { return endOrWait(now: now) }
            // A picture that begins where playing ends is not shown.
            if let end = chosenEnd, frame.presentationTime >= end, !core.configuration.isUntimed { return clock.hostTime(of: end) }
            if core.configuration.isUntimed {
                present(frame, due: MonotonicTime.now)
                hasShown = true
                continue
            }
            guard let due = clock.hostTime(of: frame.presentationTime).map({ $0 - lead }) else { return nil }
            if due > MonotonicTime.now { return due }
            present(frame, due: due)
            hasShown = true
            followSound(now: MonotonicTime.now)
        }
    }

    /// How long frames may be shown one after the other before commands are looked at, nanoseconds.
    private static let longestTurn: Int64 = 20_000_000

    /// Its time has passed, and that of the one after it, which is there to be shown in its stead.
    private func isOver(_ frame: VideoFrame) -> Bool {
        guard !core.configuration.isUntimed, case .frame(let next)? = current?.source.video.first,
            let due = clock.hostTime(of: frame.presentationTime), let successorDue = clock.hostTime(of: next.presentationTime)
        else { return false }
        return FramePacing.isOver(due: due - lead, successorDue: successorDue - lead, now: MonotonicTime.now)
    }

    /// Where playing the item ends or goes back before the item's own end.
    private var chosenEnd: Int64? {
        let loop = core.snapshot.withLock { $0.loop }.flatMap { $0.end == .max ? nil : $0.end }
        guard let end = current?.item.state.withLock({ $0.end }) else {
            // Who is beyond the loop already plays on.
            return loop.flatMap { $0 > clock.time(at: MonotonicTime.now) ? $0 : nil }
        }
        return end
    }

    /// Without a clock to speak of the frame itself tells.
    private func isBeyond(_ end: Int64) -> Bool { core.configuration.isUntimed && (prepared?.presentationTime ?? 0) >= end }

    /// Takes a frame out of the queue.
    ///
    /// - Returns: false for one that belongs to an older seek.
    func take(_ frame: VideoFrame) -> Bool {
        _ = current?.source.video.popIfAny()
        guard frame.generation == current?.generation else { return false }
        statistics.framesDecoded += 1
        for output in current?.outputs ?? [] { output.take(frame) }
        core.configuration.frameTap?(frame)
        return true
    }

    /// Shows a frame at once, prepared or not.
    func show(_ frame: VideoFrame, due: Int64) {
        layer?.router.prepare(frame)
        prepared = frame
        present(frame, due: due)
    }

    private func present(_ frame: VideoFrame, due: Int64) {
        takeFeedback()
        let shown = layer?.router.present(due: due) ?? MonotonicTime.now
        prepared = nil
        statistics.framesPresented += 1
        statistics.lastFrameID = frame.id
        if clock.rate > 0 {
            if shown - due > FramePacing.tolerance { statistics.framesLate += 1 }
            measureSync(frame, shown: shown)
        }
        let isFirst = current?.lastFrame == nil
        if isFirst { current?.source.video.setLimit(Self.frameLimit(frameBytes: frame.buffer.slot.size)) }
        let changesSize = current?.lastFrame?.format.displaySize != frame.format.displaySize
        current?.lastFrame = frame
        current?.pictureEnd = frame.presentationTime + frame.duration
        if isFirst, let warning = current?.heldWarning.take() { core.tell(.warning(warning)) }
        if changesSize {
            let size = frame.format.displaySize
            current?.report { $0.presentationSize = (size.width, size.height) }
        }
        if isFirst, let item = current?.item {
            if statistics.firstFrameHostTime == nil { statistics.firstFrameHostTime = Double(shown) / 1e9 }
            redraw()
            core.tell(.firstFrame(item))
        }
        core.tell(.framePresented(frame))
    }

    /// What became of the frames before.
    private func takeFeedback() {
        for report in core.currentLayer?.router.takeFeedback() ?? [] {
            presentTimes.record(nanoseconds: report.shown - report.given)
            if report.isSynchronised { lead = FramePacing.lead(after: lead, delay: report.shown - report.given) }
        }
    }

    /// How many frames the queue holds: 8 MB worth less one, 1 at least (1080p and above), 8 at most. Two more are always ahead: the one
    /// made ready for the display, and the one that the decoder holds in its hand.
    static func frameLimit(frameBytes: Int) -> Int { min(max((8 << 20) / max(frameBytes, 1) - 1, 1), 8) }

    // MARK: sound

    /// Pulls the clock towards what is heard.
    private func followSound(now: Int64) {
        guard let c = current, c.hasSound, !c.soundHasEnded, c.phase == .playing else {
            soundHasSpoken = true
            return
        }
        guard let heard = sound?.heard(c.soundFeed) else {
            // A device that says nothing for so long is not waited for.
            if !soundHasSpoken, now >= soundPatience { (soundHasSpoken, beganWithoutSound) = (true, true) }
            // What comes late of a device that fails is no reason for the picture to jump.
            if soundHasSpoken, sound?.isFaltering == true { calmUntil = now + Self.calm }
            return
        }
        if beganWithoutSound {
            beganWithoutSound = false
            // It begins at last, from where it was to begin: it joins the picture where that is, which does not go back.
            let ahead = clock.time(at: heard.host) - heard.media
            if ahead > PlaybackClock.jump, c.info?.isSeekable == true {
                return begin(PlayerCore.SeekCommand(time: clock.time(at: now), precision: .exact) { _ in })
            }
        }
        if !soundHasSpoken {
            soundHasSpoken = true
            clock.start(at: heard.media, host: heard.host, rate: clock.rate)
        } else {
            clock.follow(media: heard.media, host: heard.host, isCalm: now < calmUntil)
        }
    }

    private func measureSync(_ frame: VideoFrame, shown: Int64) {
        guard let c = current, c.hasSound, !c.soundHasEnded, let heard = sound?.heard(c.soundFeed) else { return }
        let media = heard.media + Int64(Double(shown + lead - heard.host) * clock.rate)
        let offset = Double(media - frame.presentationTime) / 1e9
        statistics.audioVideoOffset = offset
        if statistics.framesPresented > 60 {
            statistics.largestAudioVideoOffset = max(statistics.largestAudioVideoOffset, abs(offset))
        }
    }

    // MARK: end

    /// How long a picture may be missing before that is a stall, nanoseconds.
    private static let stallPatience: Int64 = 200_000_000

    /// No frame is there: either the item is over, or the decoder is behind.
    private func endOrWait(now: Int64) -> Int64? {
        guard let c = current else { return nil }
        guard c.videoHasEnded else {
            // Where the sound plays on it holds the clock. Else, when the file comes too slowly, the clock waits where the picture does.
            guard c.soundHasEnded || sound?.isStarved == true, c.lastFrame != nil,
                let late = clock.hostTime(of: c.pictureEnd + Self.stallPatience)
            else { return c.soundHasEnded ? nil : now + Self.stallPatience }
            if late > now { return late }
            // Who does not wait for data catches up with what was too late.
            if appointment != nil, now < soundPatience { return min(soundPatience, now + Self.stallPatience) }
            stall(at: c.pictureEnd, now: now)
            return nil
        }
        // The last frame is seen for its own time.
        if !core.configuration.isUntimed, c.lastFrame != nil, let end = clock.hostTime(of: c.pictureEnd), end > now { return end }
        guard c.soundHasEnded else { return waitForSound(c, now: now) }
        reachEnd()
        return nil
    }

    func reachEnd() {
        guard var c = current, !c.hasReportedEnd else { return }
        if c.info?.video != nil, c.lastFrame == nil, !c.hasSound {
            current?.phase = .failed
            return fail(c.item, PlaybackError(.corrupt, "not a single picture of it can be decoded"))
        }
        if goRound() { return }
        c.hasReportedEnd = true
        current = c
        let now = MonotonicTime.now
        let ended: PlayerCore.Event = c.readError.map { .failedToPlayToEnd(c.item, PlaybackError($0)) } ?? .playedToEnd(c.item)
        let action = core.snapshot.withLock { $0.actionAtItemEnd }
        // Whoever hears of the end and plays on must not be paused after that.
        if action == .pause { apply(action, now: now) }
        core.tell(ended)
        if action != .pause { apply(action, now: now) }
    }

    /// What is done at an item's end.
    func apply(_ action: Player.ActionAtItemEnd, now: Int64) {
        guard var c = current, c.hasReportedEnd else { return }
        switch action {
        case .none: publish()
        case .advance: advanceQueue()
        case .pause:
            sound?.pause()
            clock.stop(at: now)
            c.phase = .ready
            if let duration = c.info?.duration {
                let end = min(c.item.state.withLock { $0.end } ?? duration, duration)
                if c.lastFrame == nil || duration >= c.pictureEnd { clock.set(end, host: now) }
            }
            current = c
            setRequestedRate(0)
            publish()
            setStatus(.paused, nil)
        }
    }
}
