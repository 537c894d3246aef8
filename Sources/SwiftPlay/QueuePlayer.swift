import SystemCalls

/// Plays items one after another (AVQueuePlayer). The next one is opened and decoded ahead while the current one plays,
/// and its sound and picture follow without a gap. Any thread.
public final class QueuePlayer: Player, @unchecked Sendable {
    /// - Throws: ``PlaybackError/Code/resources`` when there are no threads, descriptors or memory left.
    public init(items: [PlayerItem] = [], configuration: Configuration = Configuration()) throws(PlaybackError) {
        try super.init(configuration: configuration, actionAtItemEnd: .advance)
        for item in items { insert(item, after: nil) }
    }

    /// The current item and what comes after it.
    public func items() -> [PlayerItem] {
        core.snapshot.withLock { snapshot in (snapshot.item.map { [$0] } ?? []) + snapshot.queue }
    }

    /// False where `item` is in the queue already, belongs to another player, or `after` is not in the queue.
    public func canInsert(_ item: PlayerItem, after: PlayerItem?) -> Bool {
        item.isFree(for: core) && core.snapshot.withLock { $0.canInsert(item, after: after) }
    }

    /// Puts `item` after another one, or at the end. The first one of an empty queue becomes the current item. Where
    /// ``canInsert(_:after:)`` is false nothing changes, and ``Player/Notification/itemRejected(_:_:)`` is reported.
    public func insert(_ item: PlayerItem, after: PlayerItem?) { core.insert(item, after: after) }

    /// Ends the current item and begins the next one; the end is not reported.
    public func advanceToNextItem() { core.advanceToNextItem() }

    /// Takes an item out; the current one's place is taken by the next. The item may be given to another player at
    /// once.
    public func remove(_ item: PlayerItem) {
        if item === currentItem { return advanceToNextItem() }
        core.removeFromQueue(item)
    }

    /// Stops and empties the queue.
    public func removeAllItems() { core.removeAllItems() }
}
