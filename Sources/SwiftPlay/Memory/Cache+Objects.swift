import SystemCalls

extension Cache {
    /// The maximum number of values that are evicted in one critical section, so that the lock is held for
    /// microseconds.
    private static var batchSize: Int { 64 }

    /// Returns the value for a key, and marks it as used. Takes constant time.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value; nil if there is none, or if its content was discarded and
    ///   ``evictsObjectsWithDiscardedContent`` is true.
    public func object(forKey key: Key) -> Value? {
        let hashedKey = HashedKey(key)
        let (foundEntry, checksContent) = state.withLock { state -> (CacheEntry<Key, Value>?, Bool) in
            guard let entry = state.table.entry(for: hashedKey) else { return (nil, false) }
            state.table.markUsed(entry)
            return (entry, state.evictsDiscardedContent)
        }
        guard let foundEntry else { return nil }
        // The getter `isContentDiscarded` belongs to the program: do not call it under the lock.
        guard checksContent, let content = foundEntry.content, content.isContentDiscarded else {
            return foundEntry.value
        }
        evict(foundEntry)
        return nil
    }

    /// Sets the value for a key with the cost 0.
    ///
    /// - Parameters:
    ///   - object: The value.
    ///   - key: The key.
    public func setObject(_ object: Value, forKey key: Key) { setObject(object, forKey: key, cost: 0) }

    /// Sets the value for a key, and evicts the values that were not used for longest until it fits.
    ///
    /// A value whose cost exceeds ``totalCostLimit`` is itself evicted at once; other values stay, except an older
    /// value for the same key.
    ///
    /// - Parameters:
    ///   - object: The value.
    ///   - key: The key.
    ///   - cost: The cost, such as the number of bytes. A negative cost fails a precondition.
    public func setObject(_ object: Value, forKey key: Key, cost: Int) {
        precondition(cost >= 0, "a cost is not negative")
        let entry = CacheEntry(key: HashedKey(key), value: object, cost: cost)
        var victims = CacheVictims<Key, Value>()
        var replacedEntry: CacheEntry<Key, Value>?
        var isStored = false
        while !isStored {
            // Another thread may set the same key between two batches.
            let removedEntry = state.withLock { state -> CacheEntry<Key, Value>? in
                let removedEntry = state.table.remove(entry.key)
                isStored = state.store(entry, evicting: &victims, atMost: Self.batchSize)
                return removedEntry
            }
            // The replaced value is released after the lock is unlocked.
            if let removedEntry { replacedEntry = removedEntry }
        }
        withExtendedLifetime(replacedEntry) {}
        notify(&victims)
    }

    /// Removes the value for a key. The delegate is not called.
    ///
    /// - Parameter key: The key.
    public func removeObject(forKey key: Key) {
        let hashedKey = HashedKey(key)
        let removedEntry = state.withLock { $0.table.remove(hashedKey) }
        // The value is released after the lock is unlocked.
        withExtendedLifetime(removedEntry) {}
    }

    /// Removes all values (removeAllObjects). The delegate is not called. The lock is held for constant time; the
    /// values are released after the lock is unlocked.
    public func removeAll() {
        var table = CacheTable<Key, Value>()
        state.withLock { swap(&$0.table, &table) }
        withExtendedLifetime(table) {}
    }

    /// Evicts the values that were not used for longest, until the sum of the costs is at most `cost`.
    ///
    /// - Parameter cost: The cost that may stay. Zero evicts all values, also those that cost nothing.
    public func trim(toCost cost: Int) {
        precondition(cost >= 0, "a cost is not negative")
        trim(toCost: cost, count: cost == 0 ? 0 : .max)
    }

    /// Evicts values until neither `cost` nor `count` is exceeded. Evicts at most as many values as the cache contains
    /// at first, so that values that other threads add meanwhile do not prolong the call.
    private func trim(toCost cost: Int, count: Int) {
        let presentCount = state.withLock { $0.table.count }
        evict(atMost: presentCount) { $0.table.totalCost > cost || $0.table.count > count }
    }

    /// Evicts the values that were not used for longest while a condition holds, in batches. Other threads may use the
    /// cache between two batches.
    func evict(atMost maximum: Int = .max, while condition: (State) -> Bool) {
        var victims = CacheVictims<Key, Value>()
        var hasMore = true
        while hasMore {
            hasMore = state.withLock { state in
                for _ in 0..<min(Self.batchSize, maximum - victims.addedCount) {
                    guard condition(state), state.table.evictLeastRecentlyUsed(to: &victims) else { return false }
                }
                return victims.addedCount < maximum
            }
        }
        notify(&victims)
    }

    /// Evicts an entry whose content was discarded, unless another value has replaced the entry.
    private func evict(_ entry: CacheEntry<Key, Value>) {
        let removedEntry = state.withLock { state in
            state.table.entry(for: entry.key) === entry ? state.table.remove(entry.key) : nil
        }
        guard let removedEntry else { return }
        var victims = CacheVictims<Key, Value>()
        victims.append(removedEntry)
        notify(&victims)
    }

    /// Notifies the delegate of evicted values, in the order of their eviction. No lock is held meanwhile.
    private func notify(_ victims: inout CacheVictims<Key, Value>) {
        guard victims.addedCount > 0 else { return }
        let delegate = delegate
        while let entry = victims.popFirst() {
            delegate?.cache(self, willEvictObject: entry.value, forKey: entry.key.key)
        }
    }
}

extension Cache: MemoryResponder {
    /// The sum of the costs, which the program states in bytes or another unit.
    package var memoryByteCount: Int { totalCost }

    /// Evicts values. ``MemoryReduction/half``: until the cost and the number are at most half of the limits; a cache
    /// without limits and costs keeps half of its values. ``MemoryReduction/workingSet``: until the cost is at most
    /// ``workingSetCost``. ``MemoryReduction/all``: until the cache is empty.
    package func reduceMemory(to reduction: MemoryReduction) {
        switch reduction {
        case .half:
            let (cost, count) = state.withLock { state -> (Int, Int) in
                let limits = state.limits
                let fullCost = limits.cost > 0 ? limits.cost : state.table.totalCost
                let fullCount = limits.count > 0 ? limits.count : fullCost > 0 ? .max : state.table.count
                return (fullCost / 2, fullCount / 2)
            }
            trim(toCost: cost, count: count)
        case .workingSet: trim(toCost: workingSetCost)
        case .all: trim(toCost: 0)
        }
    }
}

extension Cache.State {
    /// Adds an entry if it fits, after evicting at most `maximum` other entries. An entry whose own cost exceeds the
    /// limit is added to the victims instead.
    ///
    /// - Returns: False if further entries must be evicted before the entry fits.
    fileprivate mutating func store(
        _ entry: CacheEntry<Key, Value>, evicting victims: inout CacheVictims<Key, Value>, atMost maximum: Int
    ) -> Bool {
        guard entry.cost <= limits.maximumCost else {
            victims.append(entry)
            return true
        }
        var evictedCount = 0
        while table.totalCost > limits.maximumCost - entry.cost || table.count >= limits.maximumCount {
            guard evictedCount < maximum, table.evictLeastRecentlyUsed(to: &victims) else { return false }
            evictedCount += 1
        }
        table.insert(entry)
        return true
    }
}
