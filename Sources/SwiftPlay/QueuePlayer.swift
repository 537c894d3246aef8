import SystemCalls

/// Plays items one after another (AVQueuePlayer). The next one is opened and decoded ahead while the current one plays, and its sound and
/// picture follow without a gap. Any thread.
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
        let items = items()
        return !items.contains { $0 === item } && item.isFree(for: core) && (after.map { after in items.contains { $0 === after } } ?? true)
    }

    /// Puts `item` after another one, or at the end. The first one of an empty queue becomes the current item. The
    /// program ends where ``canInsert(_:after:)`` is false: threads that change one queue have to agree with each
    /// other.
    public func insert(_ item: PlayerItem, after: PlayerItem?) {
        precondition(insertIfPossible(item, after: after), "this item cannot be inserted there")
    }

    /// Puts `item` after another one, or at the end, in one step.
    ///
    /// - Returns: false where ``canInsert(_:after:)`` is false at that moment; nothing has changed then.
    func insertIfPossible(_ item: PlayerItem, after: PlayerItem?) -> Bool {
        guard item.claim(by: core) else { return false }
        let isCurrent: Bool? = core.snapshot.withLock { snapshot in
            guard snapshot.item !== item, !snapshot.queue.contains(where: { $0 === item }) else { return nil }
            if after == nil, snapshot.item == nil, snapshot.queue.isEmpty {
                snapshot.begin(item)
                return true
            }
            guard let after else {
                snapshot.queue.append(item)
                return false
            }
            if after === snapshot.item {
                snapshot.queue.insert(item, at: 0)
            } else if let place = snapshot.queue.firstIndex(where: { $0 === after }) {
                snapshot.queue.insert(item, at: place + 1)
            } else {
                return nil
            }
            return false
        }
        guard let isCurrent else {
            item.release()
            return false
        }
        core.post(isCurrent ? .setItem(item) : .look)
        return true
    }

    /// Ends the current item and begins the next one; nothing is told of an end.
    public func advanceToNextItem() {
        let next = core.snapshot.withLock { snapshot in
            let next = snapshot.queue.isEmpty ? nil : snapshot.queue.removeFirst()
            snapshot.begin(next)
            return next
        }
        core.post(.goOn(to: next))
    }

    /// Takes an item out; the current one's place is taken by the next.
    public func remove(_ item: PlayerItem) {
        if item === currentItem { return advanceToNextItem() }
        let isThere = core.snapshot.withLock { snapshot in
            let before = snapshot.queue.count
            snapshot.queue.removeAll { $0 === item }
            return snapshot.queue.count < before
        }
        guard isThere else { return }
        item.release()
        core.post(.look)
    }

    /// Stops and empties the queue.
    public func removeAllItems() {
        let queue = core.snapshot.withLock { snapshot in
            defer { snapshot.queue = [] }
            snapshot.begin(nil)
            return snapshot.queue
        }
        for item in queue { item.release() }
        core.post(.setItem(nil))
    }
}

extension PlayerItem {
    func isFree(for core: PlayerCore) -> Bool { state.withLock { $0.owner == nil || $0.owner === core } }
}
