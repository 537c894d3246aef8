/// A slow and obvious cache for comparison: a list of keys with their costs, ordered by their last use.
struct CacheModel {
    /// The keys with their costs; the one that was not used for longest comes first.
    private(set) var entries: [(key: Int, cost: Int)] = []
    /// The evicted keys in order.
    private(set) var victims: [Int] = []
    private(set) var totalCost = 0
    private(set) var costLimit = 0
    private(set) var countLimit = 0

    var count: Int { entries.count }

    /// Returns whether there is a value, and marks it as used.
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
        while isAbove(costLimit, totalCost + cost) || isAbove(countLimit, count + 1) { evictFirst() }
        entries.append((key, cost))
        totalCost += cost
    }

    /// Removes a value and returns its cost; nil if there is none.
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
        while isAbove(costLimit, totalCost) { evictFirst() }
    }

    mutating func setCountLimit(_ limit: Int) {
        countLimit = limit
        while isAbove(countLimit, count) { evictFirst() }
    }

    /// Returns the victims since the last call.
    mutating func takeVictims() -> [Int] {
        defer { victims.removeAll(keepingCapacity: true) }
        return victims
    }

    private func isAbove(_ limit: Int, _ number: Int) -> Bool { limit > 0 && number > limit }

    private mutating func evictFirst() {
        let first = entries.removeFirst()
        totalCost -= first.cost
        victims.append(first.key)
    }
}
