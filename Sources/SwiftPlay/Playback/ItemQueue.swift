import MediaPipeline
import SystemCalls

/// The next item, opened in advance, and the sources of items that have ended.
///
/// ``NextItemPlan`` decides when the next item is opened, joined and dropped.
struct ItemQueue {
    private(set) var next: PlayingItem?
    private var retired = RetiredSources()

    // MARK: Decisions

    /// Returns the plan for the next item.
    ///
    /// - Parameters:
    ///   - wanted: The item with which the player continues automatically.
    ///   - rate: The requested rate.
    func plan(
        for wanted: PlayerItem?, after current: PlayingItem?, _ clock: PlaybackClock, rate: Float
    ) -> NextItemPlan {
        let chosenEnd = current?.item.state.withLock { $0.end }
        let end = EndPlan.end(chosen: chosenEnd, duration: current?.info?.duration)
        return NextItemPlan(
            hasSuccessor: wanted.map { $0.status != .failed } ?? false,
            opened: next.map {
                NextItemPlan.Opened(
                    isWanted: $0.item === wanted, isJoined: $0.ahead.isJoined, audioFits: $0.ahead.audioFits,
                    audio: $0.audio, hasPicture: $0.video.hasEnded || $0.source.video.first != nil)
            },
            phase: current?.info == nil ? nil : current?.phase, audio: current?.audio ?? .absent, rate: rate,
            hasReadAll: current?.source.buffering.hasReadAll ?? false, hasChosenEnd: chosenEnd != nil,
            end: end.flatMap(clock.hostTime))
    }

    /// Returns the transition to `item`.
    ///
    /// - Parameter isNewest: Whether `item` is still the player's current one.
    func succession(to item: PlayerItem?, isNewest: Bool, hasCurrent: Bool) -> NextItemPlan.Succession {
        let isOpened = item.map { $0 === next?.item && next?.ahead.error == nil } ?? false
        return NextItemPlan.succession(
            isNewest: isNewest, isOpened: isOpened, isJoined: next?.ahead.isJoined == true, hasCurrent: hasCurrent)
    }

    // MARK: Next item

    /// Stores an item whose source is being opened.
    mutating func open(_ item: PlayingItem) { next = item }

    /// Removes and returns the next item, which becomes the current one.
    mutating func takeNext() -> PlayingItem? { next.take() }

    /// Closes the next item.
    mutating func dropNext(now: Int64) {
        guard let old = next.take() else { return }
        retire(old.source, now: now)
        old.reportTracks { $0.changed = nil }
        old.report { $0.source = nil }
    }

    /// Handles the next event of the next item's source.
    ///
    /// - Parameters:
    ///   - output: The destination of its decoded audio.
    ///   - format: Returns the open device's format if the item's audio may follow that of the current item; else nil.
    ///     Called on the current thread before this method returns.
    /// - Returns: The event, for observers and logs; nil without an event.
    mutating func handleEvent(output: AudioProgress.Output, format: (MediaInfo) -> PCMFormat?) -> MediaEvent? {
        guard let event = next?.source.events.popIfAny() else { return nil }
        switch event {
        case .opened(let info): next?.openedAhead(info, output: output, format: format(info))
        // Observers are notified when the item becomes the current one.
        case .failed(let error): next?.ahead.error = error
        case .seekFailed: next?.run.start = nil
        case .durationKnown(let length):
            next?.info?.duration = length
            next?.report { $0.info?.duration = length }
        case .readingStopped(let error): next?.run.readError = error
        case .trackFailed(.video, _): next?.video.hasEnded = true
        case .trackFailed(.audio, _): next?.audio.fail()
        case .warning, .soundDecoded: break
        }
        return event
    }

    // MARK: Joined audio

    /// Sets the next item's start if its first frame is known.
    ///
    /// - Returns: The next item.
    mutating func beginJoining() -> PlayingItem? {
        if let item = next, !item.video.hasEnded, case .frame(let frame)? = item.source.video.first {
            next?.run.start = item.run.start ?? item.beginning(with: frame)
        }
        return next
    }

    /// Records that the audio path has joined the next item's audio to that of the current item.
    mutating func joined(_ feed: AudioProgress.Feed) {
        next?.audio.join(feed)
        next?.ahead.joinedFeed = feed
    }

    /// Records that no device can be opened: the next item plays without audio.
    mutating func deviceFailed() {
        next?.audio.fail()
        next?.ahead.joinedFeed = nil
        next?.source.setSoundFormat(nil)
    }

    // MARK: Retired sources

    /// Adds the source of an item that has ended.
    mutating func retire(_ source: any MediaSource, now: Int64) { retired.add(source, now: now) }

    /// Calls ``RetiredSources/join(now:)``.
    mutating func joinRetired(now: Int64) -> Int64? { retired.join(now: now) }

    /// Calls ``RetiredSources/joinAll()``.
    mutating func joinAllRetired() { retired.joinAll() }
}

extension PlayingItem {
    /// Records that the source was opened in advance.
    ///
    /// - Parameter format: The open device's format if the item's audio may follow that of the current item.
    fileprivate mutating func openedAhead(_ info: MediaInfo, output: AudioProgress.Output, format: PCMFormat?) {
        opened(info, output: output)
        if let time = ahead.startTime.take(), info.isSeekable {
            generations.begin()
            run.start = time
            source.seek(SeekRequest(time: time, precision: .exact, generation: generations.picture))
        }
        if !audio.isForDevice {
            if !audio.isDiscarded { source.setSoundFormat(nil) }
        } else if let format {
            ahead.audioFits = true
            source.setSoundFormat(format)
        }
    }
}
