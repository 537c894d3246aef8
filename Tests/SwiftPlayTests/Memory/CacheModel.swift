/// A slow and obvious cache for comparison: a list of keys with their costs, ordered by their last use.
struct CacheModel {
    /// The keys with their costs, least recently used first.
    private(set) var entries: [(key: Int, cost: Int)] = []
    /// The keys of the evicted values, oldest eviction first.
    private(set) var victims: [Int] = []
    private(set) var totalCost = 0
    private(set) var costLimit = 0
    private(set) var countLimit = 0

    var count: Int { entries.count }

    /// Returns whether the cache has a value for a key, and marks the value as used.
    mutating func use(_ key: Int) -> Bool {
        guard let cost = remove(key) else { return false }
        entries.append((key, cost))
        totalCost += cost
        return true
    }

    mutating func set(_ key: Int, cost: Int) {
        _ = remove(key)
        if costLimit > 0, cost > costLimit {
            victims.append(key)
            return
        }
        while isLimitExceeded(costLimit, totalCost + cost) || isLimitExceeded(countLimit, count + 1) { evictFirst() }
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

    mutating func removeAll() { (entries, totalCost) = ([], 0) }

    mutating func trim(toCost cost: Int) {
        while totalCost > cost || (cost == 0 && count > 0) { evictFirst() }
    }

    mutating func setCostLimit(_ limit: Int) {
        costLimit = limit
        while isLimitExceeded(costLimit, totalCost) { evictFirst() }
    }

    mutating func setCountLimit(_ limit: Int) {
        countLimit = limit
        while isLimitExceeded(countLimit, count) { evictFirst() }
    }

    /// Returns the keys of the values that were evicted since the last call.
    mutating func takeVictims() -> [Int] {
        defer { victims.removeAll(keepingCapacity: true) }
        return victims
    }

    private func isLimitExceeded(_ limit: Int, _ number: Int) -> Bool { limit > 0 && number > limit }

    private mutating func evictFirst() {
        let first = entries.removeFirst()
        totalCost -= first.cost
        victims.append(first.key)
    }
}
