import SystemCalls

/// A looper that repeats an item without a gap, by adding copies of the item to a player's queue (AVPlayerLooper). Safe
/// to use from any thread.
///
/// The loop ends with ``disableLooping()`` or with the last reference to the looper.
public final class PlayerLooper: Sendable {
    /// Whether a looper repeats its item (AVPlayerLooper.Status).
    public enum Status: Int, Sendable {
        /// No copy of the item is ready yet.
        case unknown
        /// At least one copy is ready: the item is looped.
        case ready
        /// A copy could not be played: see ``PlayerLooper/error``.
        case failed
        /// Looping was disabled.
        case cancelled
    }

    /// The mutable part of the looper.
    fileprivate struct State {
        /// See ``PlayerLooper/status``.
        var status = Status.unknown
        /// The reason of the failure; nil unless the status is `.failed`.
        var error: PlaybackError?
        /// The number of times that the item was played to its end.
        var loopCount = 0
        /// The copies that play or wait in the queue, in order.
        var copies: [PlayerItem] = []
        /// The copy that ended last. It stays the player's current item until the next copy takes its place.
        weak var endedCopy: PlayerItem?
        /// The registration number of the looper's observer in the player; nil when looping has ended.
        var observerNumber: UInt64?
        /// The player's action at an item's end before the looper was created.
        var formerActionAtItemEnd: Player.ActionAtItemEnd
    }

    /// The number of copies that the looper keeps in the player's queue.
    private static let copyCount = 3

    /// The player whose queue contains the copies.
    private let player: QueuePlayer
    /// The item from which copies are made. It is never played itself.
    private let template: PlayerItem
    private let state: Monitor<State>

    /// Inserts copies of an item after the player's current item and sets the player's action at an item's end to
    /// `.advance`.
    ///
    /// - Parameters:
    ///   - player: The player whose queue receives the copies.
    ///   - templateItem: The item that is copied. It is not played itself, and later changes of it do not affect the
    ///     copies.
    ///   - timeRange: The part of the item that is looped; ``MediaTimeRange/invalid`` for the whole item.
    public init(player: QueuePlayer, templateItem: PlayerItem, timeRange: MediaTimeRange = .invalid) {
        if timeRange.isValid {
            precondition(
                timeRange.duration > .zero && timeRange.start >= .zero,
                "the time range must have a positive duration and start at 0 or later")
        }
        self.player = player
        template = templateItem.copy()
        if timeRange.isValid {
            template.playbackStartTime = timeRange.start
            template.forwardPlaybackEndTime = timeRange.end
        }
        state = Monitor(State(formerActionAtItemEnd: player.actionAtItemEnd))
        let rate = player.rate
        player.pause()
        player.actionAtItemEnd = .advance
        let copies = (0..<Self.copyCount).map { _ in template.copy() }
        state.withLock { $0.copies = copies }
        var previousCopy: PlayerItem?
        for copy in copies {
            // Another thread may have removed the item after which the copy is inserted. Inserting at the end of the
            // queue is always possible.
            if !player.core.insertIfPossible(copy, after: previousCopy ?? player.currentItem) {
                _ = player.core.insertIfPossible(copy, after: nil)
            }
            previousCopy = copy
        }
        let observerNumber = player.core.addObserver { [weak self] event in self?.handle(event) }
        state.withLock { $0.observerNumber = observerNumber }
        if rate != 0 { player.rate = rate }
    }

    deinit {
        if let observerNumber = state.withLock({ $0.observerNumber }) { player.core.removeObserver(observerNumber) }
    }

    /// Whether the looper repeats its item (AVPlayerLooper.status).
    public var status: Status { state.withLock { $0.status } }
    /// The reason of the failure; nil unless ``status`` is `.failed`.
    public var error: PlaybackError? { state.withLock { $0.error } }
    /// The number of times that the item was played to its end (AVPlayerLooper.loopCount).
    public var loopCount: Int { state.withLock { $0.loopCount } }
    /// The copies that play or are waiting, in order (AVPlayerLooper.loopingPlayerItems).
    public var loopingPlayerItems: [PlayerItem] { state.withLock { $0.copies } }

    /// Ends the loop after the current copy has played to its end, or after the next copy if the current copy has
    /// already ended (AVPlayerLooper.disableLooping()).
    public func disableLooping() {
        let (observerNumber, oldState) = state.withLock { state in
            defer {
                state.observerNumber = nil
                if state.status != .failed { state.status = .cancelled }
            }
            return (state.observerNumber, state)
        }
        guard let observerNumber else { return }
        player.core.removeObserver(observerNumber)
        let currentItem = player.currentItem
        // After the player has reported a copy's end, the next copy is audible already, although the ended copy is
        // still the current item: keep the next copy in the queue.
        let lastCopy = currentItem != nil && currentItem === oldState.endedCopy ? oldState.copies.first : currentItem
        for copy in oldState.copies where copy !== lastCopy { player.remove(copy) }
        player.actionAtItemEnd = oldState.formerActionAtItemEnd
    }

    /// Handles an event of the player: updates the status, and adds a new copy to the queue when a copy has ended.
    func handle(_ event: PlayerCore.Event) {
        switch event {
        case .itemReady(let item):
            state.withLock { if $0.status == .unknown, $0.contains(item) { $0.status = .ready } }
        case .itemFailed(let item, let error):
            state.withLock { state in
                guard state.contains(item) else { return }
                (state.status, state.error) = (.failed, error)
            }
        case .playedToEnd(let item):
            let newCopy = template.copy()
            let previousItems: [PlayerItem]? = state.withLock { state in
                guard state.contains(item), state.observerNumber != nil || state.status == .unknown else { return nil }
                state.loopCount += 1
                state.endedCopy = item
                state.copies.removeAll { $0 === item }
                defer { state.copies.append(newCopy) }
                return state.copies.reversed() + [item]
            }
            // Insert the new copy after the other copies and before other items. If the program has removed all copies,
            // the loop has ended.
            guard let previousItems else { return }
            let isInserted = previousItems.contains { player.core.insertIfPossible(newCopy, after: $0) }
            let isCancelled = state.withLock { state in
                if !isInserted { state.copies.removeAll { $0 === newCopy } }
                return state.status == .cancelled
            }
            if isInserted, isCancelled { player.remove(newCopy) }
        default: break
        }
    }
}

extension PlayerLooper.State {
    /// Returns whether an item is a copy of this looper.
    fileprivate func contains(_ item: PlayerItem) -> Bool { copies.contains { $0 === item } }
}
