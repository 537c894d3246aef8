import MediaPipeline
import SystemCalls

/// The items of a player: all changes of the current item and of the queue. An item's owner changes together with the
/// snapshot. An item that leaves a player is therefore free immediately, even while the player's thread is still
/// closing the item's file.
extension PlayerCore {
    /// Replaces the current item. `snapshot` is that of this core; the caller holds its lock.
    func setCurrent(_ item: PlayerItem?, in snapshot: inout PlayerSnapshot) {
        if let old = snapshot.item, old !== item { old.release(from: self) }
        snapshot.begin(item)
    }

    /// Makes `item` the current one. An item that belongs to another player is rejected: the player keeps its item and
    /// reports `itemRejected`.
    func replaceCurrentItem(with item: PlayerItem?) {
        enum Outcome { case unchanged, changed, refused }
        let outcome = snapshot.withLock { snapshot -> Outcome in
            guard !snapshot.isClosed, snapshot.item !== item else { return .unchanged }
            if let item, !item.claim(by: self) { return .refused }
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
            guard snapshot.canInsert(item, after: after), item.claim(by: self) else { return .refused }
            if snapshot.item == nil, snapshot.queue.isEmpty {
                setCurrent(item, in: &snapshot)
                return .isCurrent
            }
            let place = after.flatMap { after in snapshot.queue.firstIndex { $0 === after }.map { $0 + 1 } }
            let isAfterCurrent = after != nil && after === snapshot.item
            snapshot.queue.insert(item, at: place ?? (isAfterCurrent ? 0 : snapshot.queue.count))
            return .isQueued
        }
        switch outcome {
        case .unchanged: break
        case .isCurrent: post(.setItem(item))
        case .isQueued: post(.look)
        case .refused: return false
        }
        return true
    }

    /// Makes the first item of the queue the current one.
    func advanceToNextItem() {
        let next = snapshot.withLock { snapshot in
            let next = snapshot.queue.isEmpty ? nil : snapshot.queue.removeFirst()
            setCurrent(next, in: &snapshot)
            return next
        }
        post(.goOn(to: next))
    }

    /// Removes an item from the queue.
    func removeFromQueue(_ item: PlayerItem) {
        snapshot.withLock { snapshot in
            guard snapshot.queue.contains(where: { $0 === item }) else { return }
            snapshot.queue.removeAll { $0 === item }
            item.release(from: self)
        }
        post(.look)
    }

    func removeAllItems() {
        snapshot.withLock { snapshot in
            for item in snapshot.queue { item.release(from: self) }
            snapshot.queue = []
            setCurrent(nil, in: &snapshot)
        }
        post(.setItem(nil))
    }

    /// Releases all items of a closed player. The snapshot still contains them.
    func settle() {
        snapshot.withLock { snapshot in
            (snapshot.seekTarget, snapshot.seeksAhead) = (nil, 0)
            snapshot.item?.release(from: self)
            for item in snapshot.queue { item.release(from: self) }
        }
    }
}

extension PlayerCore: PlayerItemOwner {
    var openPolicy: OpenPolicy { configuration.openPolicy }
    func isCurrent(_ item: PlayerItem) -> Bool { snapshot.withLock { $0.item === item } }
    func itemTime(at host: Int64) -> Int64 { snapshot.withLock { $0.published.clock.time(at: host) } }
    func step(byCount count: Int) { post(.step(count)) }

    func changed(_ setting: PlayerItemSetting) {
        switch setting {
        case .end: post(.look)
        case .outputs: post(.outputChanged)
        case .pitch: post(.pitchChanged)
        }
    }
}

extension PlayerSnapshot {
    func canInsert(_ item: PlayerItem, after: PlayerItem?) -> Bool {
        let items = (self.item.map { [$0] } ?? []) + queue
        return !items.contains { $0 === item } && (after.map { after in items.contains { $0 === after } } ?? true)
    }
}
