import SystemCalls

/// A player of a queue of items (AVQueuePlayer). While an item plays, the next one is opened and decoded, and its audio
/// and video follow without a gap. Safe to use from any thread.
public final class QueuePlayer: Player, @unchecked Sendable {
    // @unchecked Sendable: the class adds no stored properties; see Player.

    /// Creates a player for a queue of items.
    ///
    /// - Parameters:
    ///   - items: The items in the order in which they are played.
    ///   - configuration: Settings that do not change later.
    /// - Throws: ``PlaybackError`` with the code `resources` if the process has no threads, descriptors or memory left.
    public init(items: [PlayerItem] = [], configuration: Configuration = Configuration()) throws(PlaybackError) {
        try super.init(configuration: configuration, actionAtItemEnd: .advance)
        for item in items { insert(item, after: nil) }
    }

    /// Returns the current item and the items that follow it (AVQueuePlayer.items()).
    public func items() -> [PlayerItem] { queuedItems }

    /// Returns whether an item can be inserted: it is not in the queue and belongs to no other player, and `after` is
    /// nil or in the queue (AVQueuePlayer.canInsert(_:after:)).
    ///
    /// - Parameters:
    ///   - item: The item to insert.
    ///   - after: The item that `item` would follow; nil for the end of the queue.
    public func canInsert(_ item: PlayerItem, after: PlayerItem?) -> Bool {
        item.canBeOwned(by: core) && core.snapshot.withLock { $0.canInsert(item, after: after) }
    }

    /// Inserts an item (AVQueuePlayer.insert(_:after:)). The first item of an empty queue becomes the current item.
    ///
    /// If ``canInsert(_:after:)`` is false, the call has no effect, and ``Player/Notification/itemRejected(_:_:)`` is
    /// posted.
    ///
    /// - Parameters:
    ///   - item: The item to insert.
    ///   - after: The item that `item` follows; nil for the end of the queue.
    public func insert(_ item: PlayerItem, after: PlayerItem?) {
        changes.perform(self) { core.insert(item, after: after) }
    }

    /// Ends the current item and starts the next item (AVQueuePlayer.advanceToNextItem()).
    /// ``Player/Notification/didPlayToEnd(_:)`` is not posted.
    public func advanceToNextItem() {
        changes.perform(self) { core.advanceToNextItem() }
    }

    /// Removes an item (AVQueuePlayer.remove(_:)). The next item replaces a removed current item. The removed item can
    /// be given to another player at once.
    ///
    /// - Parameter item: An item of the queue. Other items are ignored.
    public func remove(_ item: PlayerItem) {
        if item === currentItem { return advanceToNextItem() }
        changes.perform(self) { core.removeFromQueue(item) }
    }

    /// Removes all items, including the current item (AVQueuePlayer.removeAllItems()).
    public func removeAllItems() {
        changes.perform(self) { core.removeAllItems() }
    }
}
