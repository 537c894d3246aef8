/// A model of the cache for comparison, which is slow and simple: a list of keys with their costs, ordered by their
/// last use.
struct CacheModel {
    /// The keys with their costs, least recently used first.
    private(set) var entries: [(key: Int, cost: Int)] = []
    /// The keys of the evicted values, oldest eviction first.
    private(set) var victims: [Int] = []
    /// The sum of the costs of all values.
    private(set) var totalCost = 0
    /// The largest sum of costs; 0 means no limit.
    private(set) var costLimit = 0
    /// The largest number of values; 0 means no limit.
    private(set) var countLimit = 0

    /// The number of values.
    var count: Int { entries.count }

    /// Returns whether the cache has a value for a key, and marks the value as used.
    mutating func use(_ key: Int) -> Bool {
        guard let cost = remove(key) else { return false }
        entries.append((key, cost))
        totalCost += cost
        return true
    }

    /// Sets the value for a key, as `Cache.setObject(_:forKey:cost:)` does.
    mutating func set(_ key: Int, cost: Int) {
        _ = remove(key)
        if costLimit > 0, cost > costLimit {
            victims.append(key)
            return
        }
        while isLimitExceeded(costLimit, totalCost + cost) || isLimitExceeded(countLimit, count + 1) {
            evictLeastRecentlyUsed()
        }
        entries.append((key, cost))
        totalCost += cost
    }

    /// Removes the value for a key and returns its cost; nil if the cache has no such value.
    @discardableResult
    mutating func remove(_ key: Int) -> Int? {
        for index in entries.indices where entries[index].key == key {
            let cost = entries[index].cost
            entries.remove(at: index)
            totalCost -= cost
            return cost
        }
        return nil
    }

    /// Removes all values without reporting them as victims.
    mutating func removeAll() { (entries, totalCost) = ([], 0) }

    /// Evicts values until the total cost is at most `cost`.
    mutating func trim(toCost cost: Int) {
        while totalCost > cost || (cost == 0 && count > 0) { evictLeastRecentlyUsed() }
    }

    /// Sets the limit of the total cost, and evicts values until the limit is met.
    mutating func setCostLimit(_ limit: Int) {
        costLimit = limit
        while isLimitExceeded(costLimit, totalCost) { evictLeastRecentlyUsed() }
    }

    /// Sets the limit of the number of values, and evicts values until the limit is met.
    mutating func setCountLimit(_ limit: Int) {
        countLimit = limit
        while isLimitExceeded(countLimit, count) { evictLeastRecentlyUsed() }
    }

    /// Returns the keys of the values that were evicted since the last call.
    mutating func takeVictims() -> [Int] {
        defer { victims.removeAll(keepingCapacity: true) }
        return victims
    }

    /// Returns whether a number exceeds a limit. The limit 0 means no limit.
    private func isLimitExceeded(_ limit: Int, _ number: Int) -> Bool { limit > 0 && number > limit }

    /// Evicts the least recently used value.
    private mutating func evictLeastRecentlyUsed() {
        let victim = entries.removeFirst()
        totalCost -= victim.cost
        victims.append(victim.key)
    }
}
