import MediaPipeline
import SystemCalls

/// The next item in the queue: carries out the decisions of ``NextItemPlan``.
extension PlaybackLoop {
    /// Opens the next item when it is due, and appends its audio to the current item's audio.
    ///
    /// - Returns: The host time at which to call this method again; nil without a deadline.
    func prepareNextItem(now: Int64) -> Int64? {
        let nextPlayerItem = core.snapshot.withLock {
            $0.settings.actionAtItemEnd == .advance && $0.settings.loop == nil ? $0.queue.first : nil
        }
        guard itemQueue.nextItem != nil || nextPlayerItem != nil else { return nil }
        switch itemQueue.nextItemPlan(for: nextPlayerItem, after: currentItem, clock, rate: rate).action(now: now) {
        case .none: break
        case .wait(let deadline): return deadline
        case .closeOpenedItem:
            cancelNextAudio()
            return prepareNextItem(now: now)
        case .openNextItem:
            guard let nextPlayerItem else { break }
            do throws(SystemCallError) {
                let openedItem = try openSource(for: nextPlayerItem)
                itemQueue.setNextItem(openedItem)
            } catch {
                core.notify(.warning("cannot open the next item yet: \(error)"))
            }
        case .appendAudio: appendNextAudio()
        }
        return nil
    }

    /// Handles the events of the next item's source.
    func handleNextItemEvents() {
        while let event = itemQueue.handleNextItemEvent(output: audioOutput, formatForAppending: formatForAppending) {
            guard let nextItem = itemQueue.nextItem else { return }
            switch event {
            case .opened(let info):
                for warning in info.warnings { core.notify(.warning(warning)) }
                if nextItem.playerItem.presentationSize != .zero {
                    core.notify(.presentationSizeChanged(nextItem.playerItem))
                }
                core.notify(.itemReady(nextItem.playerItem))
            case .failed, .seekFailed, .durationKnown, .variantChanged, .fellBehind, .audioFileAdded: break
            case .requestFailed(let failure): reporter.logFailure(nextItem, failure)
            case .audioDecoded(let checksum): core.configuration.audioChecksumTap?(checksum)
            case .warning(let error), .readingStopped(let error):
                core.notify(.warning("\(error)"))
                reporter.logError(nextItem, error)
            case .trackFailed(_, let error): core.notify(.warning("\(error)"))
            }
        }
    }

    /// Returns the open device's format if the next item's audio may follow the current item's audio without a gap.
    private func formatForAppending(_ info: MediaInfo) -> PCMFormat? {
        guard deviceState.isOpen, currentItem?.audio.usesDevice == true,
            core.configuration.gaplessAudio.allowsAppending(info.audio, to: currentItem?.info?.audio),
            let format = audioPipeline?.format
        else { return nil }
        return PCMFormat(rate: format.rate, channels: format.channels, speakers: format.speakers.map(\.rawValue))
    }

    /// Appends the next item's audio to the current item's audio in the device's stream.
    private func appendNextAudio() {
        guard let item = currentItem, let acceptedAudio = item.audio.acceptedAudio,
            let nextItem = itemQueue.setNextItemStartTime()
        else { return }
        let number = audioPipeline?.appendItemAudio(
            with: nextItem.source, generation: nextItem.generations.audio, start: nextItem.stateSinceSeek.startTime,
            end: nextItem.playerItem.state.withLock { $0.end },
            keepsPitch: nextItem.playerItem.audioTimePitchAlgorithm.keepsPitch,
            after: item.info?.video?.isCoverPicture == false ? item.info?.duration : nil)
        if let number {
            itemQueue.didAppendAudio(AudioProgress.AcceptedAudio(number: number, speed: acceptedAudio.speed))
        }
    }

    /// The host time at which the next item's audio becomes audible; nil while it is unknown, or if that audio was not
    /// appended.
    var nextItemStartTime: Int64? {
        itemQueue.nextItem?.preloadState.appendedAudio.flatMap { audioPipeline?.startTime(of: $0.number) }
    }

    /// Makes the next item the current item when its audio, which was appended in advance, becomes audible.
    func switchToNextItem(at start: Int64) {
        guard let oldItem = currentItem, let nextPlayerItem = itemQueue.nextItem?.playerItem else { return }
        let isStillNext = core.snapshot.withLock { [core] snapshot in
            guard snapshot.item === oldItem.playerItem, snapshot.queue.first === nextPlayerItem else { return false }
            core.setCurrent(snapshot.queue.removeFirst(), in: &snapshot)
            return true
        }
        // The program has changed the current item meanwhile. Its command is still pending and decides what plays.
        guard isStillNext, var item = itemQueue.takeNextItem() else { return cancelNextAudio() }
        core.notify(
            oldItem.stateSinceSeek.readError.map { .failedToPlayToEnd(oldItem.playerItem, PlaybackError($0)) }
                ?? .playedToEnd(oldItem.playerItem))
        item.phase = .playing
        displayProgress.preparedFrame = nil
        item.audio.play(awaitingPositionUntil: nil)
        let lastPlayed =
            item.preloadState.appendedAudio.take().flatMap { audioPipeline?.lastPlayedPosition($0.number) }
            ?? (mediaTime: item.stateSinceSeek.startTime ?? 0, hostTime: start)
        clock.start(at: lastPlayed.mediaTime, hostTime: lastPlayed.hostTime, rate: Double(rate))
        currentItem = item
        finishItemChange(from: oldItem)
        reporter.beginLogPeriod(item, clock, now: start)
    }

    /// Makes the item that was opened in advance the current item. Its audio starts again.
    private func makeNextItemCurrent() {
        guard let oldItem = currentItem, let item = itemQueue.takeNextItem() else { return }
        flushAudio()
        seekState.changeItem(start: item.info == nil ? item.preloadState.startTime : nil).complete()
        displayProgress.preparedFrame = nil
        currentItem = item
        clock = PlaybackClock()
        clock.set(item.stateSinceSeek.startTime ?? 0, hostTime: MonotonicTime.now)
        if let audio = item.info?.audio, item.audio.usesDevice, !item.preloadState.audioMatchesDeviceFormat {
            openDevice(for: audio)
        }
        if item.info == nil, rate != 0 { setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate) }
        finishItemChange(from: oldItem)
    }

    /// Completes a change of the current item: closes the old item, and shows the new item's tracks and state.
    private func finishItemChange(from oldItem: PlayingItem) {
        guard let item = currentItem else { return }
        reporter.pendingChange = .jump
        // The new item's source received its settings when it was opened: send the present settings.
        sentDemands = SentDemands()
        seekState.clearScheduledPlayback()
        endTracks(of: oldItem)
        itemQueue.closeInBackground(oldItem.source, now: MonotonicTime.now)
        releaseItem(oldItem)
        if let info = item.info { beginTracks(info) }
        if item.info?.video == nil {
            core.currentLayer?.router.clear()
            core.currentLayer?.setReadyForDisplay(false)
        }
        core.currentLayer?.handleItemChange()
        core.notify(.itemChanged(item.playerItem))
        // Wake the loop: the source's data may have arrived already, so that no later event would wake it.
        core.wakeEvent.signal()
    }

    /// Continues with the next item in the queue after the current item's end.
    func advanceQueue() {
        guard let oldItem = currentItem else { return }
        let change: (nextItem: PlayerItem?, Void)? = core.snapshot.withLock { [core] snapshot in
            // The program has changed the current item meanwhile. Its command is still pending and decides what plays.
            guard snapshot.item === oldItem.playerItem else { return nil }
            let nextItem = snapshot.queue.isEmpty ? nil : snapshot.queue.removeFirst()
            core.setCurrent(nextItem, in: &snapshot)
            return (nextItem, ())
        }
        guard let change else { return }
        if change.nextItem == nil { setRequestedRate(0) }
        advance(to: change.nextItem)
    }

    /// Plays the item at the head of the queue.
    func advance(to item: PlayerItem?) {
        let transition = itemQueue.itemTransition(
            to: item, isStillCurrent: isStillCurrent(item), hasCurrentItem: currentItem != nil)
        switch transition {
        case .ignore: break
        case .makeOpenedItemCurrent: makeNextItemCurrent()
        case .replace:
            closeNextItem()
            setItem(item)
        }
    }

    /// Closes the item that was opened in advance.
    func closeNextItem() { itemQueue.closeNextItem(now: MonotonicTime.now) }

    /// Closes the next item, and seeks in the current item if samples of the next item were already written to the
    /// device.
    private func cancelNextAudio() {
        let appendedAudio = itemQueue.nextItem?.preloadState.appendedAudio
        let isNextAudioWritten = appendedAudio.map { audioPipeline?.removeAppendedAudio($0.number) == false } ?? false
        closeNextItem()
        if NextItemPlan.mustSeekAfterClosingNextItem(
            isNextAudioWritten: isNextAudioWritten, phase: currentItem?.phase,
            isSeekable: currentItem?.info?.isSeekable == true)
        {
            begin(SeekCommand(time: clock.time(at: MonotonicTime.now)))
        }
    }
}

extension PlayerConfiguration.GaplessAudio {
    /// Returns whether the next item's audio may follow the current item's audio without reopening the device.
    func allowsAppending(_ nextAudio: MediaInfo.Audio?, to currentAudio: MediaInfo.Audio?) -> Bool {
        guard let nextAudio, let currentAudio else { return false }
        return switch self {
        case .always: true
        case .whereFormatsMatch:
            nextAudio.sampleRate == currentAudio.sampleRate && nextAudio.channels == currentAudio.channels
        case .never: false
        }
    }
}
