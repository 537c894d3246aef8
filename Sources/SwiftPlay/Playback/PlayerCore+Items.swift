import MediaPipeline
import SystemCalls

/// The items of a player: all changes of the current item and of the queue. An item's owner changes together with the
/// snapshot. Another player can therefore use an item immediately after it leaves this player, even while the player's
/// thread is still closing the item's file.
extension PlayerCore {
    /// Replaces the current item. `snapshot` is this core's snapshot, whose lock the caller holds.
    func setCurrent(_ item: PlayerItem?, in snapshot: inout PlayerSnapshot) {
        if let oldItem = snapshot.item, oldItem !== item { oldItem.release(from: self) }
        snapshot.setCurrentItem(item)
    }

    /// Makes `item` the current item. An item that belongs to another player is rejected: the player keeps its item and
    /// reports `itemRejected`.
    func replaceCurrentItem(with item: PlayerItem?) {
        enum Outcome { case unchanged, changed, refused }
        let outcome = snapshot.withLock { snapshot -> Outcome in
            guard !snapshot.isClosed, snapshot.item !== item else { return .unchanged }
            if let item, !item.assign(to: self) { return .refused }
            snapshot.queue.removeAll { $0 === item }
            setCurrent(item, in: &snapshot)
            return .changed
        }
        switch outcome {
        case .unchanged: break
        case .changed: post(.setItem(item))
        case .refused: if let item { post(.reject(item)) }
        }
    }

    /// Inserts `item` after another item, or at the end of the queue. An item that cannot be inserted there is
    /// rejected, as in ``replaceCurrentItem(with:)``.
    func insert(_ item: PlayerItem, after: PlayerItem?) {
        if !insertIfPossible(item, after: after) { post(.reject(item)) }
    }

    /// Inserts `item` in one atomic step.
    ///
    /// - Returns: false if the item cannot be inserted there; the queue is unchanged then. A closed player returns true
    ///   and changes nothing.
    func insertIfPossible(_ item: PlayerItem, after: PlayerItem?) -> Bool {
        enum Outcome { case unchanged, isCurrent, isQueued, refused }
        let outcome = snapshot.withLock { snapshot -> Outcome in
            guard !snapshot.isClosed else { return .unchanged }
            guard snapshot.canInsert(item, after: after), item.assign(to: self) else { return .refused }
            if snapshot.item == nil, snapshot.queue.isEmpty {
                setCurrent(item, in: &snapshot)
                return .isCurrent
            }
            let position = after.flatMap { after in snapshot.queue.firstIndex { $0 === after }.map { $0 + 1 } }
            let isAfterCurrent = after != nil && after === snapshot.item
            snapshot.queue.insert(item, at: position ?? (isAfterCurrent ? 0 : snapshot.queue.count))
            return .isQueued
        }
        switch outcome {
        case .unchanged: break
        case .isCurrent: post(.setItem(item))
        case .isQueued: post(.polledStateChanged)
        case .refused: return false
        }
        return true
    }

    /// Makes the first item of the queue the current item.
    func advanceToNextItem() {
        let nextItem = snapshot.withLock { snapshot in
            let nextItem = snapshot.queue.isEmpty ? nil : snapshot.queue.removeFirst()
            setCurrent(nextItem, in: &snapshot)
            return nextItem
        }
        post(.advance(to: nextItem))
    }

    /// Removes an item from the queue.
    func removeFromQueue(_ item: PlayerItem) {
        snapshot.withLock { snapshot in
            guard snapshot.queue.contains(where: { $0 === item }) else { return }
            snapshot.queue.removeAll { $0 === item }
            item.release(from: self)
        }
        post(.polledStateChanged)
    }

    /// Removes all items, including the current item.
    func removeAllItems() {
        snapshot.withLock { snapshot in
            for item in snapshot.queue { item.release(from: self) }
            snapshot.queue = []
            setCurrent(nil, in: &snapshot)
        }
        post(.setItem(nil))
    }

    /// Releases all items of a closed player. The snapshot still contains them.
    func releaseItems() {
        snapshot.withLock { snapshot in
            (snapshot.seekTarget, snapshot.queuedSeekCount) = (nil, 0)
            snapshot.item?.release(from: self)
            for item in snapshot.queue { item.release(from: self) }
        }
    }
}

extension PlayerCore: PlayerItemOwner {
    var openPolicy: OpenPolicy { configuration.openPolicy }
    func isCurrent(_ item: PlayerItem) -> Bool { snapshot.withLock { $0.item === item } }
    var droppedFrameCount: Int { snapshot.withLock { $0.published.statistics.framesDropped } }
    func itemTime(at hostTime: Int64) -> Int64 { snapshot.withLock { $0.published.clock.time(at: hostTime) } }
    func step(byCount count: Int) { post(.step(count)) }

    /// Makes the player's thread apply a changed setting of an item.
    func applyChange(of setting: PlayerItemSetting) {
        switch setting {
        case .end, .reading: post(.polledStateChanged)
        case .outputs: post(.outputChanged)
        case .pitch: post(.pitchChanged)
        case .variant: post(.variantChosen)
        }
    }
}

extension PlayerSnapshot {
    /// Returns whether an item can be inserted: it is not in the queue, and `after` is nil or in the queue.
    func canInsert(_ item: PlayerItem, after: PlayerItem?) -> Bool {
        let items = (self.item.map { [$0] } ?? []) + queue
        return !items.contains { $0 === item } && (after.map { after in items.contains { $0 === after } } ?? true)
    }
}
