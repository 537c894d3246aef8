import SystemCalls

extension Cache {
    /// The number of values that are evicted before the lock is released once, so that it is held for microseconds.
    private static var batchSize: Int { 64 }

    /// Returns the value for a key, and marks it as used. Takes constant time.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value; nil if there is none, or if its content was discarded and
    ///   ``evictsObjectsWithDiscardedContent`` is true.
    public func object(forKey key: Key) -> Value? {
        let hashed = HashedKey(key)
        let (found, checksContent) = state.withLock { state -> (CacheEntry<Key, Value>?, Bool) in
            guard let entry = state.table.entry(for: hashed) else { return (nil, false) }
            state.table.use(entry)
            return (entry, state.evictsDiscardedContent)
        }
        guard let found else { return nil }
        // The content belongs to the program: it is asked without the lock.
        guard checksContent, let content = found.content, content.isContentDiscarded else { return found.value }
        evict(found)
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
        var replaced: CacheEntry<Key, Value>?
        var isStored = false
        while !isStored {
            // Another thread may set the same key between two batches.
            let removed = state.withLock { state -> CacheEntry<Key, Value>? in
                let removed = state.table.remove(entry.key)
                isStored = state.store(entry, evicting: &victims, atMost: Self.batchSize)
                return removed
            }
            // A replaced value is released after the lock.
            if let removed { replaced = removed }
        }
        withExtendedLifetime(replaced) {}
        notify(&victims)
    }

    /// Removes the value for a key. The delegate is not called.
    ///
    /// - Parameter key: The key.
    public func removeObject(forKey key: Key) {
        let hashed = HashedKey(key)
        let removed = state.withLock { $0.table.remove(hashed) }
        // The value is released after the lock.
        withExtendedLifetime(removed) {}
    }

    /// Removes all values (removeAllObjects). The delegate is not called. The lock is held for constant time; the
    /// values are released after it.
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

    /// Evicts values until neither number is exceeded. Values that other threads add meanwhile do not prolong it.
    private func trim(toCost cost: Int, count: Int) {
        let present = state.withLock { $0.table.count }
        evict(atMost: present) { $0.table.totalCost > cost || $0.table.count > count }
    }

    /// Evicts the oldest values while a condition holds, in batches between which other threads may use the cache.
    func evict(atMost maximum: Int = .max, while condition: (State) -> Bool) {
        var victims = CacheVictims<Key, Value>()
        var goesOn = true
        while goesOn {
            goesOn = state.withLock { state in
                for _ in 0..<min(Self.batchSize, maximum - victims.count) {
                    guard condition(state), state.table.evictOldest(to: &victims) else { return false }
                }
                return victims.count < maximum
            }
        }
        notify(&victims)
    }

    /// Evicts an entry whose content is gone, unless another value has replaced it.
    private func evict(_ entry: CacheEntry<Key, Value>) {
        let removed = state.withLock { state in
            state.table.entry(for: entry.key) === entry ? state.table.remove(entry.key) : nil
        }
        guard let removed else { return }
        var victims = CacheVictims<Key, Value>()
        victims.append(removed)
        notify(&victims)
    }

    /// Notifies the delegate of evicted values, in the order of their eviction, without a lock.
    private func notify(_ victims: inout CacheVictims<Key, Value>) {
        guard victims.count > 0 else { return }
        let delegate = delegate
        while let entry = victims.popFirst() {
            delegate?.cache(self, willEvictObject: entry.value, forKey: entry.key.key)
        }
    }
}

extension Cache: MemoryResponder {
    /// The sum of the costs, which the program states in bytes or another unit.
    package var memoryByteCount: Int { totalCost }

    /// Evicts values: half of the limits, ``workingSetCost`` or no values stay. A cache without limits and costs keeps
    /// half of its values.
    package func reduceMemory(to reduction: MemoryReduction) {
        switch reduction {
        case .half:
            let (cost, count) = state.withLock { state -> (Int, Int) in
                let limits = state.limits
                let costBase = limits.cost > 0 ? limits.cost : state.table.totalCost
                let countBase = limits.count > 0 ? limits.count : costBase > 0 ? .max : state.table.count
                return (costBase / 2, countBase / 2)
            }
            trim(toCost: cost, count: count)
        case .workingSet: trim(toCost: workingSetCost)
        case .all: trim(toCost: 0)
        }
    }
}

extension Cache.State {
    /// Adds an entry if it fits, after evicting at most `maximum` entries. The entry itself becomes a victim if it
    /// exceeds the limit alone.
    ///
    /// - Returns: false if further entries must be evicted first.
    fileprivate mutating func store(
        _ entry: CacheEntry<Key, Value>, evicting victims: inout CacheVictims<Key, Value>, atMost maximum: Int
    ) -> Bool {
        guard entry.cost <= limits.maximumCost else {
            victims.append(entry)
            return true
        }
        var evicted = 0
        while table.totalCost > limits.maximumCost - entry.cost || table.count >= limits.maximumCount {
            guard evicted < maximum, table.evictOldest(to: &victims) else { return false }
            evicted += 1
        }
        table.insert(entry)
        return true
    }
}
