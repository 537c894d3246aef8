import MediaPipeline
import SystemCalls

/// The next item, opened in advance, and the sources of items that have ended.
///
/// ``NextItemPlan`` decides when the next item is opened, when its audio is appended to the current item's audio, and
/// when it is closed.
struct ItemQueue {
    /// The item that was opened in advance; nil if none was.
    private(set) var nextItem: PlayingItem?
    /// The sources of items that have ended, whose threads may still run.
    private var closingSources = ClosingSources()

    // MARK: Decisions

    /// Returns the plan for the next item.
    ///
    /// - Parameters:
    ///   - requestedItem: The item with which the player continues automatically.
    ///   - rate: The requested rate.
    func nextItemPlan(
        for requestedItem: PlayerItem?, after current: PlayingItem?, _ clock: PlaybackClock, rate: Float
    ) -> NextItemPlan {
        let forwardPlaybackEndTime = current?.playerItem.state.withLock { $0.end }
        let end = EndPlan.endTime(forwardPlaybackEndTime: forwardPlaybackEndTime, duration: current?.info?.duration)
        return NextItemPlan(
            hasSuccessor: requestedItem.map { $0.status != .failed } ?? false,
            openedItem: nextItem.map {
                NextItemPlan.OpenedItem(
                    isStillNext: $0.playerItem === requestedItem, isAudioAppended: $0.preloadState.isAudioAppended,
                    audioMatchesDeviceFormat: $0.preloadState.audioMatchesDeviceFormat,
                    audio: $0.audio, isVideoReady: $0.video.hasEnded || $0.source.video.first != nil)
            },
            phase: current?.info == nil ? nil : current?.phase, audio: current?.audio ?? .disconnected, rate: rate,
            hasReadAll: current?.source.buffering.hasReadAll ?? false,
            hasForwardPlaybackEndTime: forwardPlaybackEndTime != nil,
            endHostTime: end.flatMap(clock.hostTime))
    }

    /// Returns the way in which the player changes from the current item to `item`.
    ///
    /// - Parameter isStillCurrent: Whether `item` is still the player's current item.
    func itemTransition(
        to item: PlayerItem?, isStillCurrent: Bool, hasCurrentItem: Bool
    ) -> NextItemPlan.ItemTransition {
        let isOpened = item.map { $0 === nextItem?.playerItem && nextItem?.preloadState.error == nil } ?? false
        return NextItemPlan.itemTransition(
            isStillCurrent: isStillCurrent, isOpened: isOpened,
            isAudioAppended: nextItem?.preloadState.isAudioAppended == true, hasCurrentItem: hasCurrentItem
        )
    }

    // MARK: Next item

    /// Stores an item whose source is being opened as the next item.
    mutating func setNextItem(_ item: PlayingItem) { nextItem = item }

    /// Removes and returns the next item, which becomes the current item.
    mutating func takeNextItem() -> PlayingItem? { nextItem.take() }

    /// Closes the next item.
    mutating func closeNextItem(now: Int64) {
        guard let oldItem = nextItem.take() else { return }
        closeInBackground(oldItem.source, now: now)
        oldItem.updateItemSelection { $0.onChange = nil }
        oldItem.updateItemState { $0.source = nil }
    }

    /// Handles the next event of the next item's source.
    ///
    /// - Parameters:
    ///   - output: The destination of the next item's decoded audio.
    ///   - formatForAppending: Returns the open device's format if the item's audio may follow the current item's
    ///     audio; else nil. Called on the current thread before this method returns.
    /// - Returns: The event, for observers and logs; nil without an event.
    mutating func handleNextItemEvent(
        output: AudioProgress.Output, formatForAppending: (MediaInfo) -> PCMFormat?
    ) -> MediaEvent? {
        guard let event = nextItem?.source.events.popIfAny() else { return nil }
        switch event {
        case .opened(let info): nextItem?.recordPreload(info, output: output, format: formatForAppending(info))
        // Only store the error: observers are notified of it when the item becomes the current item.
        case .failed(let error): nextItem?.preloadState.error = error
        case .seekFailed: nextItem?.stateSinceSeek.startTime = nil
        case .durationKnown(let duration):
            nextItem?.info?.duration = duration
            nextItem?.updateItemState { $0.info?.duration = duration }
        case .readingStopped(let error): nextItem?.stateSinceSeek.readError = error
        case .fellBehind(let time, _): nextItem?.stateSinceSeek.liveRejoinPosition = time
        case .trackFailed(.video, _): nextItem?.video.hasEnded = true
        case .trackFailed(.audio, _): nextItem?.audio.fail()
        case .warning, .audioDecoded, .requestFailed, .variantChanged: break
        // Audio files are added only to the current item.
        case .audioFileAdded: break
        }
        return event
    }

    // MARK: Appended audio

    /// Sets the start time of the next item if the item's first frame is known.
    ///
    /// - Returns: The next item.
    mutating func setNextItemStartTime() -> PlayingItem? {
        if let item = nextItem, !item.video.hasEnded, case .frame(let frame)? = item.source.video.first {
            nextItem?.stateSinceSeek.startTime = item.stateSinceSeek.startTime ?? item.startTime(with: frame)
        }
        return nextItem
    }

    /// Records that the audio pipeline has appended the next item's audio to the current item's audio.
    mutating func didAppendAudio(_ accepted: AudioProgress.AcceptedAudio) {
        nextItem?.audio.didAppend(accepted)
        nextItem?.preloadState.appendedAudio = accepted
    }

    /// Records that no device can be opened: the next item plays without audio.
    mutating func disconnectNextItemAudio() {
        nextItem?.audio.fail()
        nextItem?.preloadState.appendedAudio = nil
        nextItem?.source.setAudioFormat(nil)
    }

    // MARK: Closing sources

    /// Interrupts the source of an item that has ended. The source's threads are joined later, without blocking.
    mutating func closeInBackground(_ source: any MediaSource, now: Int64) { closingSources.add(source, now: now) }

    /// Joins the threads of ended sources: see ``ClosingSources/join(now:)``.
    mutating func joinClosingSourceThreads(now: Int64) -> Int64? { closingSources.join(now: now) }

    /// Joins the threads of all ended sources: see ``ClosingSources/joinAllThreads()``.
    mutating func joinAllClosingSourceThreads() { closingSources.joinAllThreads() }
}

extension PlayingItem {
    /// Records that the source was opened in advance.
    ///
    /// - Parameter format: The open device's format if the item's audio may follow the current item's audio.
    fileprivate mutating func recordPreload(_ info: MediaInfo, output: AudioProgress.Output, format: PCMFormat?) {
        didOpen(info, output: output)
        publishReadiness(info)
        if let time = preloadState.startTime.take(), info.isSeekable {
            generations.beginSeek()
            stateSinceSeek.startTime = time
            source.seek(SeekRequest(time: time, precision: .exact, generation: generations.video))
        }
        if !audio.usesDevice {
            if !audio.isDiscarded { source.setAudioFormat(nil) }
        } else if let format {
            preloadState.audioMatchesDeviceFormat = true
            source.setAudioFormat(format)
        }
    }
}
