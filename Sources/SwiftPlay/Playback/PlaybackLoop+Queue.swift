import MediaPipeline
import SystemCalls

/// The next item in the queue: carries out the decisions of ``NextItemPlan``.
extension PlaybackLoop {
    /// Opens the next item when it is due, and joins its audio to that of the current item.
    ///
    /// - Returns: Host time at which to call again; nil without a deadline.
    func prepareNext(now: Int64) -> Int64? {
        let wanted = core.snapshot.withLock {
            $0.settings.actionAtItemEnd == .advance && $0.settings.loop == nil ? $0.queue.first : nil
        }
        guard queue.next != nil || wanted != nil else { return nil }
        switch queue.plan(for: wanted, after: current, clock, rate: rate).action(now: now) {
        case .none: break
        case .wait(let until): return until
        case .drop:
            unjoin()
            return prepareNext(now: now)
        case .open:
            guard let wanted else { break }
            do throws(SystemCallError) {
                let opened = try open(wanted)
                queue.open(opened)
            } catch {
                core.tell(.warning("cannot open the next item yet: \(error)"))
            }
        case .join: joinAudio()
        }
        return nil
    }

    func handleNextEvents() {
        while let event = queue.handleEvent(output: audioOutput, format: formatForJoining) {
            guard let next = queue.next else { return }
            switch event {
            case .opened(let info):
                for warning in info.warnings { core.tell(.warning(warning)) }
                if next.item.presentationSize != .zero { core.tell(.presentationSizeChanged(next.item)) }
                core.tell(.itemReady(next.item))
            case .failed, .seekFailed, .durationKnown: break
            case .soundDecoded(let checksum): core.configuration.soundTap?(checksum)
            case .warning(let error), .readingStopped(let error):
                core.tell(.warning("\(error)"))
                reporter.logError(next, error)
            case .trackFailed(_, let error): core.tell(.warning("\(error)"))
            }
        }
    }

    /// Returns the open device's format if the next item's audio may follow that of the current item without a gap.
    private func formatForJoining(_ info: MediaInfo) -> PCMFormat? {
        guard device.isOpen, current?.audio.isForDevice == true,
            core.configuration.gaplessAudio.joins(info.audio, to: current?.info?.audio), let format = sound?.format
        else { return nil }
        return PCMFormat(rate: format.rate, channels: format.channels, speakers: format.speakers.map(\.rawValue))
    }

    private func joinAudio() {
        guard let c = current, let feed = c.audio.feed, let next = queue.beginJoining() else { return }
        let number = sound?.follow(
            with: next.source, generation: next.generations.audio, start: next.run.start,
            end: next.item.state.withLock { $0.end }, keepsPitch: next.item.audioTimePitchAlgorithm.keepsPitch,
            after: c.info?.video?.isStill == false ? c.info?.duration : nil)
        if let number { queue.joined(AudioProgress.Feed(number: number, speed: feed.speed)) }
    }

    /// Host time at which the next item's audio becomes audible; nil while unknown or without joined audio.
    var nextTurn: Int64? {
        queue.next?.ahead.joinedFeed.flatMap { sound?.turn(of: $0.number) }
    }

    /// Makes the next item the current one at the point where its joined audio starts.
    func join(at turn: Int64) {
        guard let old = current, let item = queue.next?.item else { return }
        let isNext = core.snapshot.withLock { [core] snapshot in
            guard snapshot.item === old.item, snapshot.queue.first === item else { return false }
            core.setCurrent(snapshot.queue.removeFirst(), in: &snapshot)
            return true
        }
        // The program has changed the current item; the command is still pending.
        guard isNext, var c = queue.takeNext() else { return unjoin() }
        core.tell(old.run.readError.map { .failedToPlayToEnd(old.item, PlaybackError($0)) } ?? .playedToEnd(old.item))
        c.phase = .playing
        display.prepared = nil
        c.audio.play(awaitingPositionUntil: nil)
        let heard =
            c.ahead.joinedFeed.take().flatMap { sound?.heard($0.number) }
            ?? (media: c.run.start ?? 0, host: turn)
        clock.start(at: heard.media, host: heard.host, rate: Double(rate))
        current = c
        finishChange(from: old)
        reporter.beginLog(c, clock)
    }

    /// Makes the item that was opened in advance the current one; its audio starts anew.
    private func promote() {
        guard let old = current, let c = queue.takeNext() else { return }
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
        queue.retire(old.source, now: MonotonicTime.now)
        letGo(old)
        if let info = c.info { beginTracks(info) }
        if c.info?.video == nil {
            core.currentLayer?.router.clear()
            core.currentLayer?.setReadyForDisplay(false)
        }
        core.currentLayer?.itemChanged()
        core.tell(.itemChanged(c.item))
        // Signal because the source's data may have arrived already: then no event would wake the loop.
        core.wake.signal()
    }

    /// Continues with the next item in the queue after the current item's end.
    func advanceQueue() {
        guard let old = current else { return }
        let step: (next: PlayerItem?, Void)? = core.snapshot.withLock { [core] snapshot in
            // The program has changed the current item; the command is still pending.
            guard snapshot.item === old.item else { return nil }
            let next = snapshot.queue.isEmpty ? nil : snapshot.queue.removeFirst()
            core.setCurrent(next, in: &snapshot)
            return (next, ())
        }
        guard let step else { return }
        if step.next == nil { setRequestedRate(0) }
        goOn(to: step.next)
    }

    /// Plays the item at the head of the queue.
    func goOn(to item: PlayerItem?) {
        switch queue.succession(to: item, isNewest: isNewest(item), hasCurrent: current != nil) {
        case .ignore: break
        case .promote: promote()
        case .replace:
            dropNext()
            setItem(item)
        }
    }

    func dropNext() { queue.dropNext(now: MonotonicTime.now) }

    /// Drops the next item, with a seek if its audio is already on its way to the device.
    private func unjoin() {
        let isUnderway = queue.next?.ahead.joinedFeed.map { sound?.unfollow($0.number) == false } ?? false
        dropNext()
        if NextItemPlan.mustSeek(
            afterDropping: isUnderway, phase: current?.phase, isSeekable: current?.info?.isSeekable == true)
        {
            begin(SeekCommand(time: clock.time(at: MonotonicTime.now)))
        }
    }
}

extension PlayerConfiguration.GaplessAudio {
    /// Returns whether new audio may follow old audio without reopening the device.
    func joins(_ new: MediaInfo.Audio?, to old: MediaInfo.Audio?) -> Bool {
        guard let new, let old else { return false }
        return switch self {
        case .always: true
        case .whereFormatsMatch: new.sampleRate == old.sampleRate && new.channels == old.channels
        case .never: false
        }
    }
}
