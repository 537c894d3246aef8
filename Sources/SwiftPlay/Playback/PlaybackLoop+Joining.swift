import MediaPipeline
import SystemCalls

/// The next item of a queue: opened and decoded ahead, its sound joined to that of the current one.
extension PlaybackLoop {
    /// The next item is opened so long before the current one's end, host nanoseconds; sooner where all of that has been read.
    private static let openingLead: Int64 = 5_000_000_000

    /// Opens what comes next when it is time, and lets its sound follow.
    ///
    /// - Returns: when to look again.
    func prepareNext(now: Int64) -> Int64? {
        let wanted = core.snapshot.withLock { $0.settings.actionAtItemEnd == .advance && $0.settings.loop == nil ? $0.queue.first : nil }
        if let next, next.item !== wanted { unjoin() }
        guard let wanted, let c = current, c.info != nil, c.phase == .playing || c.phase == .ready, wanted.status != .failed else { return nil }
        guard next == nil else {
            joinSound()
            return nil
        }
        if !c.source.buffering.hasReadAll {
            guard let end = end(of: c), let at = clock.hostTime(of: end) else { return nil }
            if at - Self.openingLead > now { return at - Self.openingLead }
        }
        do throws(SystemCallError) { next = try open(wanted) } catch { core.tell(.warning("cannot open what comes next yet: \(error)")) }
        return nil
    }

    /// Media time at which an item is over, as far as is known.
    private func end(of c: PlayingItem) -> Int64? {
        let chosen = c.item.state.withLock { $0.end }
        guard let duration = c.info?.duration else { return chosen }
        return chosen.map { min($0, duration) } ?? duration
    }

    func handleNextEvents() {
        while let event = next?.source.events.popIfAny() {
            guard var n = next else { return }
            switch event {
            case .opened(let info): opened(&n, info)
            // Told when its turn comes.
            case .failed(let error): n.ahead.error = error
            case .seekFailed: n.run.start = nil
            case .soundDecoded(let checksum): core.configuration.soundTap?(checksum)
            case .durationKnown(let length):
                n.info?.duration = length
                n.report { $0.info?.duration = length }
            case .warning(let error):
                core.tell(.warning("\(error)"))
                reporter.logError(n, error)
            case .readingStopped(let error):
                core.tell(.warning("\(error)"))
                reporter.logError(n, error)
                n.run.readError = error
            case .trackFailed(let track, let error):
                core.tell(.warning("\(error)"))
                switch track {
                case .video: n.video.hasEnded = true
                case .audio: n.audio.fail()
                }
            }
            next = n
            guard case .opened = event else { continue }
            if n.item.presentationSize != (0, 0) { core.tell(.presentationSizeChanged(n.item)) }
            core.tell(.itemReady(n.item))
        }
    }

    private func opened(_ n: inout PlayingItem, _ info: MediaInfo) {
        n.opened(info, output: audioOutput)
        if let time = n.ahead.startTime.take(), info.isSeekable {
            n.generations.begin()
            n.run.start = time
            n.source.seek(SeekRequest(time: time, precision: .exact, generation: n.generations.picture))
        }
        if !n.audio.isForDevice {
            if !n.audio.isDiscarded { n.source.setSoundFormat(nil) }
        } else if soundFits(info), let format = sound?.format {
            n.ahead.audioFits = true
            n.source.setSoundFormat(PCMFormat(
                rate: format.rate, channels: format.channels, speakers: format.speakers.map(\.rawValue)))
        }
        for warning in info.warnings { core.tell(.warning(warning)) }
    }

    /// May its sound go to the device as that is open now?
    private func soundFits(_ info: MediaInfo) -> Bool {
        guard device.isOpen, let new = info.audio, let old = current?.info?.audio, current?.audio.isForDevice == true else { return false }
        return switch core.configuration.gaplessAudio {
        case .always: true
        case .whereFormatsMatch: new.sampleRate == old.sampleRate && new.channels == old.channels
        case .never: false
        }
    }

    /// Lets the sound of the next item follow once the current one's is near its end and the next one's beginning is known.
    private func joinSound() {
        guard var n = next, !n.ahead.isJoined, n.ahead.audioFits, n.audio.isForDevice, let c = current, c.phase == .playing, c.audio.isUnfinished,
            let feed = c.audio.feed, c.audio.isPrimed, feed.speed == Double(rate), c.source.buffering.hasReadAll || c.item.state.withLock({ $0.end }) != nil
        else { return }
        if !n.video.hasEnded {
            guard let first = n.source.video.first else { return }
            if case .frame(let frame) = first { n.run.start = n.run.start ?? n.beginning(with: frame) }
        }
        let pictureEnd = c.info?.video?.isStill == false ? c.info?.duration : nil
        guard let number = sound?.follow(
            with: n.source, generation: n.generations.audio, start: n.run.start, end: n.item.state.withLock { $0.end },
            keepsPitch: n.item.audioTimePitchAlgorithm.keepsPitch, after: pictureEnd)
        else { return }
        let joined = AudioProgress.Feed(number: number, speed: feed.speed)
        n.audio.join(joined)
        n.ahead.joinedFeed = joined
        next = n
    }

    /// Host time at which the next item's sound begins to be heard; nil while that is not known, or nothing is joined.
    var nextTurn: Int64? {
        next?.ahead.joinedFeed.flatMap { sound?.turn(of: $0.number) }
    }

    /// The next item's turn has come: its sound goes on from the current one's.
    func join(at turn: Int64) {
        guard var c = next, let old = current else { return }
        let isNext = core.snapshot.withLock { [core] snapshot in
            guard snapshot.item === old.item, snapshot.queue.first === c.item else { return false }
            core.setCurrent(snapshot.queue.removeFirst(), in: &snapshot)
            return true
        }
        // Another item was put in place meanwhile, and what plays it is on its way.
        guard isNext else { return unjoin() }
        core.tell(old.run.readError.map { .failedToPlayToEnd(old.item, PlaybackError($0)) } ?? .playedToEnd(old.item))
        next = nil
        c.phase = .playing
        display.prepared = nil
        c.audio.play(awaitingPositionUntil: nil)
        let heard = c.ahead.joinedFeed.take().flatMap { sound?.heard($0.number) } ?? (media: c.run.start ?? 0, host: turn)
        clock.start(at: heard.media, host: heard.host, rate: Double(rate))
        current = c
        finishChange(from: old)
        reporter.beginLog(c, clock)
    }

    /// Makes the item that was opened ahead the current one; its sound begins anew.
    private func promote() {
        guard let c = next, let old = current else { return }
        next = nil
        flushSound()
        seeking.changeItem(start: c.info == nil ? c.ahead.startTime : nil).answer()
        display.prepared = nil
        current = c
        clock = PlaybackClock()
        clock.set(c.run.start ?? 0, host: MonotonicTime.now)
        if let audio = c.info?.audio, c.audio.isForDevice, !c.ahead.audioFits { openDevice(for: audio) }
        if c.info == nil, rate != 0 { setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate) }
        finishChange(from: old)
    }

    private func finishChange(from old: PlayingItem) {
        guard let c = current else { return }
        reporter.change = .jump
        seeking.dropAppointment()
        endTracks(of: old)
        retired.add(old.source, now: MonotonicTime.now)
        letGo(old)
        if let info = c.info { beginTracks(info) }
        if c.info?.video == nil {
            core.currentLayer?.router.clear()
            core.currentLayer?.setReadyForDisplay(false)
        }
        core.currentLayer?.itemChanged()
        core.tell(.itemChanged(c.item))
        // What it needs may be there already: nothing else would wake the loop.
        core.wake.signal()
    }

    /// The queue goes on after the current item's end.
    func advanceQueue() {
        guard let old = current else { return }
        let step: (next: PlayerItem?, Void)? = core.snapshot.withLock { [core] snapshot in
            // Another item was put in place meanwhile, and what plays it is on its way.
            guard snapshot.item === old.item else { return nil }
            let next = snapshot.queue.isEmpty ? nil : snapshot.queue.removeFirst()
            core.setCurrent(next, in: &snapshot)
            return (next, ())
        }
        guard let step else { return }
        if step.next == nil { setRequestedRate(0) }
        goOn(to: step.next)
    }

    /// Plays what the queue has come to.
    func goOn(to item: PlayerItem?) {
        guard isNewest(item) else { return }
        if let item, let next, next.item === item, next.ahead.error == nil, !next.ahead.isJoined, current != nil { return promote() }
        dropNext()
        setItem(item)
    }

    func dropNext() {
        guard let old = next.take() else { return }
        retired.add(old.source, now: MonotonicTime.now)
        old.reportTracks { $0.changed = nil }
        old.report { $0.source = nil }
    }

    /// What was opened ahead is not wanted; sound of it that is on its way to the device is taken back.
    private func unjoin() {
        let isUnderway = next?.ahead.joinedFeed.map { sound?.unfollow($0.number) == false } ?? false
        dropNext()
        guard isUnderway, let c = current, c.phase == .playing, c.info?.isSeekable == true else { return }
        begin(SeekCommand(time: clock.time(at: MonotonicTime.now)))
    }
}
