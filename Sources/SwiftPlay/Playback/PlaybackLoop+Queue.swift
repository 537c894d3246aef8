import MediaPipeline
import SystemCalls

/// The next item in the queue: carries out the decisions of ``NextItemPlan``.
extension PlaybackLoop {
    /// Opens the next item when it is due, and appends its audio to the current item's audio.
    ///
    /// - Returns: Host time at which to call again; nil without a deadline.
    func prepareNext(now: Int64) -> Int64? {
        let requested = core.snapshot.withLock {
            $0.settings.actionAtItemEnd == .advance && $0.settings.loop == nil ? $0.queue.first : nil
        }
        guard queue.next != nil || requested != nil else { return nil }
        switch queue.plan(for: requested, after: current, clock, rate: rate).action(now: now) {
        case .none: break
        case .wait(let until): return until
        case .drop:
            cancelNextAudio()
            return prepareNext(now: now)
        case .open:
            guard let requested else { break }
            do throws(SystemCallError) {
                let opened = try open(requested)
                queue.open(opened)
            } catch {
                core.notify(.warning("cannot open the next item yet: \(error)"))
            }
        case .join: appendNextAudio()
        }
        return nil
    }

    /// Handles the events of the next item's source.
    func handleNextEvents() {
        while let event = queue.handleEvent(output: audioOutput, format: formatForJoining) {
            guard let next = queue.next else { return }
            switch event {
            case .opened(let info):
                for warning in info.warnings { core.notify(.warning(warning)) }
                if next.item.presentationSize != .zero { core.notify(.presentationSizeChanged(next.item)) }
                core.notify(.itemReady(next.item))
            case .failed, .seekFailed, .durationKnown, .variantChanged, .fellBehind: break
            case .requestFailed(let failure): reporter.logFailure(next, failure)
            case .audioDecoded(let checksum): core.configuration.audioChecksumTap?(checksum)
            case .warning(let error), .readingStopped(let error):
                core.notify(.warning("\(error)"))
                reporter.logError(next, error)
            case .trackFailed(_, let error): core.notify(.warning("\(error)"))
            }
        }
    }

    /// Returns the open device's format if the next item's audio may follow the current item's audio without a gap.
    private func formatForJoining(_ info: MediaInfo) -> PCMFormat? {
        guard device.isOpen, current?.audio.usesDevice == true,
            core.configuration.gaplessAudio.joins(info.audio, to: current?.info?.audio), let format = audio?.format
        else { return nil }
        return PCMFormat(rate: format.rate, channels: format.channels, speakers: format.speakers.map(\.rawValue))
    }

    /// Appends the next item's audio to the current item's audio in the device's stream.
    private func appendNextAudio() {
        guard let c = current, let accepted = c.audio.acceptedAudio, let next = queue.setNextItemStartTime() else {
            return
        }
        let number = audio?.appendItemAudio(
            with: next.source, generation: next.generations.audio, start: next.run.start,
            end: next.item.state.withLock { $0.end }, keepsPitch: next.item.audioTimePitchAlgorithm.keepsPitch,
            after: c.info?.video?.isCoverPicture == false ? c.info?.duration : nil)
        if let number { queue.joined(AudioProgress.AcceptedAudio(number: number, speed: accepted.speed)) }
    }

    /// Host time at which the next item's audio becomes audible; nil while it is unknown, or if that audio was not
    /// appended.
    var nextStartTime: Int64? {
        queue.next?.openedAhead.appendedAudio.flatMap { audio?.startTime(of: $0.number) }
    }

    /// Makes the next item the current item when its audio, which was appended in advance, becomes audible.
    func switchToNextItem(at start: Int64) {
        guard let old = current, let item = queue.next?.item else { return }
        let isStillNext = core.snapshot.withLock { [core] snapshot in
            guard snapshot.item === old.item, snapshot.queue.first === item else { return false }
            core.setCurrent(snapshot.queue.removeFirst(), in: &snapshot)
            return true
        }
        // The program has changed the current item meanwhile. Its command is still pending and decides what plays.
        guard isStillNext, var c = queue.takeNextItem() else { return cancelNextAudio() }
        core.notify(old.run.readError.map { .failedToPlayToEnd(old.item, PlaybackError($0)) } ?? .playedToEnd(old.item))
        c.phase = .playing
        display.preparedFrame = nil
        c.audio.play(awaitingPositionUntil: nil)
        let lastPlayed =
            c.openedAhead.appendedAudio.take().flatMap { audio?.lastPlayedPosition($0.number) }
            ?? (media: c.run.start ?? 0, host: start)
        clock.start(at: lastPlayed.media, host: lastPlayed.host, rate: Double(rate))
        current = c
        finishItemChange(from: old)
        reporter.beginLogPeriod(c, clock)
    }

    /// Makes the item that was opened in advance the current item. Its audio starts again.
    private func makeNextItemCurrent() {
        guard let old = current, let c = queue.takeNextItem() else { return }
        flushAudio()
        seeking.changeItem(start: c.info == nil ? c.openedAhead.startTime : nil).complete()
        display.preparedFrame = nil
        current = c
        clock = PlaybackClock()
        clock.set(c.run.start ?? 0, host: MonotonicTime.now)
        if let audio = c.info?.audio, c.audio.usesDevice, !c.openedAhead.audioMatchesDeviceFormat {
            openDevice(for: audio)
        }
        if c.info == nil, rate != 0 { setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate) }
        finishItemChange(from: old)
    }

    /// Completes a change of the current item: closes the old item, and shows the new item's tracks and state.
    private func finishItemChange(from old: PlayingItem) {
        guard let c = current else { return }
        reporter.pendingChange = .jump
        // The new item's source received its settings when it was opened: send the present settings.
        sentDemands = SentDemands()
        seeking.clearScheduledPlayback()
        endTracks(of: old)
        queue.retire(old.source, now: MonotonicTime.now)
        releaseItem(old)
        if let info = c.info { beginTracks(info) }
        if c.info?.video == nil {
            core.currentLayer?.router.clear()
            core.currentLayer?.setReadyForDisplay(false)
        }
        core.currentLayer?.itemChanged()
        core.notify(.itemChanged(c.item))
        // Wake the loop: the source's data may have arrived already, so that no later event would wake it.
        core.wake.signal()
    }

    /// Continues with the next item in the queue after the current item's end.
    func advanceQueue() {
        guard let old = current else { return }
        let step: (next: PlayerItem?, Void)? = core.snapshot.withLock { [core] snapshot in
            // The program has changed the current item meanwhile. Its command is still pending and decides what plays.
            guard snapshot.item === old.item else { return nil }
            let next = snapshot.queue.isEmpty ? nil : snapshot.queue.removeFirst()
            core.setCurrent(next, in: &snapshot)
            return (next, ())
        }
        guard let step else { return }
        if step.next == nil { setRequestedRate(0) }
        advance(to: step.next)
    }

    /// Plays the item at the head of the queue.
    func advance(to item: PlayerItem?) {
        switch queue.itemTransition(to: item, isNewest: isCurrentRequest(item), hasCurrent: current != nil) {
        case .ignore: break
        case .promote: makeNextItemCurrent()
        case .replace:
            closeNextItem()
            setItem(item)
        }
    }

    /// Closes the item that was opened in advance.
    func closeNextItem() { queue.closeNextItem(now: MonotonicTime.now) }

    /// Closes the next item, and seeks in the current item if the next item's audio is already on its way to the
    /// device.
    private func cancelNextAudio() {
        let isUnderway =
            queue.next?.openedAhead.appendedAudio.map { audio?.removeAppendedAudio($0.number) == false } ?? false
        closeNextItem()
        if NextItemPlan.mustSeek(
            isNextAudioUnderway: isUnderway, phase: current?.phase, isSeekable: current?.info?.isSeekable == true)
        {
            begin(SeekCommand(time: clock.time(at: MonotonicTime.now)))
        }
    }
}

extension PlayerConfiguration.GaplessAudio {
    /// Returns whether the audio `new` may follow the audio `old` without reopening the device.
    func joins(_ new: MediaInfo.Audio?, to old: MediaInfo.Audio?) -> Bool {
        guard let new, let old else { return false }
        return switch self {
        case .always: true
        case .whereFormatsMatch: new.sampleRate == old.sampleRate && new.channels == old.channels
        case .never: false
        }
    }
}
