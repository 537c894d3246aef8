import MediaPipeline
import SystemCalls

/// The next item, opened in advance, and the sources of items that have ended.
///
/// ``NextItemPlan`` decides when the next item is opened, when its audio is appended to the current item's audio, and
/// when it is closed.
struct ItemQueue {
    /// The item that was opened in advance; nil if none was.
    private(set) var next: PlayingItem?
    /// The sources of items that have ended, whose threads may still run.
    private var closingSources = ClosingSources()

    // MARK: Decisions

    /// Returns the plan that decides what to do with the next item.
    ///
    /// - Parameters:
    ///   - requested: The item with which the player continues automatically.
    ///   - rate: The requested rate.
    func plan(
        for requested: PlayerItem?, after current: PlayingItem?, _ clock: PlaybackClock, rate: Float
    ) -> NextItemPlan {
        let chosenEnd = current?.item.state.withLock { $0.end }
        let end = EndPlan.end(chosen: chosenEnd, duration: current?.info?.duration)
        return NextItemPlan(
            hasSuccessor: requested.map { $0.status != .failed } ?? false,
            opened: next.map {
                NextItemPlan.Opened(
                    isWanted: $0.item === requested, isJoined: $0.openedAhead.isJoined,
                    audioMatchesDeviceFormat: $0.openedAhead.audioMatchesDeviceFormat,
                    audio: $0.audio, hasPicture: $0.video.hasEnded || $0.source.video.first != nil)
            },
            phase: current?.info == nil ? nil : current?.phase, audio: current?.audio ?? .disconnected, rate: rate,
            hasReadAll: current?.source.buffering.hasReadAll ?? false, hasChosenEnd: chosenEnd != nil,
            end: end.flatMap(clock.hostTime))
    }

    /// Returns how the player changes from the current item to `item`.
    ///
    /// - Parameter isNewest: Whether `item` is still the player's current item.
    func itemTransition(to item: PlayerItem?, isNewest: Bool, hasCurrent: Bool) -> NextItemPlan.ItemTransition {
        let isOpened = item.map { $0 === next?.item && next?.openedAhead.error == nil } ?? false
        return NextItemPlan.itemTransition(
            isNewest: isNewest, isOpened: isOpened, isJoined: next?.openedAhead.isJoined == true, hasCurrent: hasCurrent
        )
    }

    // MARK: Next item

    /// Stores an item whose source is being opened as the next item.
    mutating func open(_ item: PlayingItem) { next = item }

    /// Removes and returns the next item, which becomes the current item.
    mutating func takeNextItem() -> PlayingItem? { next.take() }

    /// Closes the next item.
    mutating func closeNextItem(now: Int64) {
        guard let old = next.take() else { return }
        retire(old.source, now: now)
        old.reportTracks { $0.onChange = nil }
        old.updateItem { $0.source = nil }
    }

    /// Handles the next event of the next item's source.
    ///
    /// - Parameters:
    ///   - output: The destination of its decoded audio.
    ///   - format: Returns the open device's format if the item's audio may follow the current item's audio; else nil.
    ///     Called on the current thread before this method returns.
    /// - Returns: The event, for observers and logs; nil without an event.
    mutating func handleEvent(output: AudioProgress.Output, format: (MediaInfo) -> PCMFormat?) -> MediaEvent? {
        guard let event = next?.source.events.popIfAny() else { return nil }
        switch event {
        case .opened(let info): next?.recordOpenedAhead(info, output: output, format: format(info))
        // Only store the error: observers are notified of it when the item becomes the current item.
        case .failed(let error): next?.openedAhead.error = error
        case .seekFailed: next?.run.start = nil
        case .durationKnown(let length):
            next?.info?.duration = length
            next?.updateItem { $0.info?.duration = length }
        case .readingStopped(let error): next?.run.readError = error
        case .fellBehind(let time, _): next?.run.liveRejoinPosition = time
        case .trackFailed(.video, _): next?.video.hasEnded = true
        case .trackFailed(.audio, _): next?.audio.fail()
        case .warning, .audioDecoded, .requestFailed, .variantChanged: break
        }
        return event
    }

    // MARK: Joined audio

    /// Sets the start time of the next item if the item's first frame is known.
    ///
    /// - Returns: The next item.
    mutating func setNextItemStartTime() -> PlayingItem? {
        if let item = next, !item.video.hasEnded, case .frame(let frame)? = item.source.video.first {
            next?.run.start = item.run.start ?? item.startTime(with: frame)
        }
        return next
    }

    /// Records that the audio pipeline has appended the next item's audio to the current item's audio.
    mutating func joined(_ accepted: AudioProgress.AcceptedAudio) {
        next?.audio.join(accepted)
        next?.openedAhead.appendedAudio = accepted
    }

    /// Records that no device can be opened: the next item plays without audio.
    mutating func deviceUnavailable() {
        next?.audio.fail()
        next?.openedAhead.appendedAudio = nil
        next?.source.setAudioFormat(nil)
    }

    // MARK: Retired sources

    /// Adds the source of an item that has ended.
    mutating func retire(_ source: any MediaSource, now: Int64) { closingSources.add(source, now: now) }

    /// Joins the threads of ended sources: see ``ClosingSources/join(now:)``.
    mutating func joinRetiredThreads(now: Int64) -> Int64? { closingSources.join(now: now) }

    /// Joins the threads of all ended sources: see ``ClosingSources/joinAllThreads()``.
    mutating func joinAllRetiredThreads() { closingSources.joinAllThreads() }
}

extension PlayingItem {
    /// Records that the source was opened in advance.
    ///
    /// - Parameter format: The open device's format if the item's audio may follow the current item's audio.
    fileprivate mutating func recordOpenedAhead(_ info: MediaInfo, output: AudioProgress.Output, format: PCMFormat?) {
        opened(info, output: output)
        if let time = openedAhead.startTime.take(), info.isSeekable {
            generations.begin()
            run.start = time
            source.seek(SeekRequest(time: time, precision: .exact, generation: generations.picture))
        }
        if !audio.usesDevice {
            if !audio.isDiscarded { source.setAudioFormat(nil) }
        } else if let format {
            openedAhead.audioMatchesDeviceFormat = true
            source.setAudioFormat(format)
        }
    }
}
