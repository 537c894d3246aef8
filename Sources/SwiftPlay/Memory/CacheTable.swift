/// A key with its hash value, which is computed once, outside the cache's lock.
struct HashedKey<Key: Hashable & Sendable>: Hashable, Sendable {
    /// The program's key.
    let key: Key
    /// The hash value of ``key``.
    let hash: Int

    init(_ key: Key) { (self.key, hash) = (key, key.hashValue) }

    static func == (a: Self, b: Self) -> Bool { a.hash == b.hash && a.key == b.key }
    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// An entry of a ``CacheTable``: a value with its key and cost, and its place in the order of use.
final class CacheEntry<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    // @unchecked Sendable: the links are accessed under the cache's lock while the entry is in the table; afterwards
    // only by the thread that removed the entry.
    /// The key of the value.
    let key: HashedKey<Key>
    /// The program's value.
    let value: Value
    /// The cost of the value, not negative.
    let cost: Int
    /// The value, if it is a ``DiscardableContent``; otherwise nil.
    let content: (any DiscardableContent)?
    // The table owns its entries; the links between them do not, because a long chain of owning links would overflow
    // the stack when it is released.
    /// The entry that precedes this entry in the order of use; nil for the first entry.
    fileprivate(set) unowned(unsafe) var olderEntry: CacheEntry?
    /// The entry that follows this entry in the order of use; nil for the last entry.
    fileprivate(set) unowned(unsafe) var newerEntry: CacheEntry?
    /// The entry that was evicted after this entry; nil for the last evicted entry.
    fileprivate(set) var nextVictim: CacheEntry?

    init(key: HashedKey<Key>, value: Value, cost: Int) {
        (self.key, self.value, self.cost) = (key, value, cost)
        content = value as? any DiscardableContent
    }
}

/// The entries of a cache in the order of their use, with their total cost. Every operation takes constant time.
struct CacheTable<Key: Hashable & Sendable, Value: Sendable> {
    typealias Entry = CacheEntry<Key, Value>

    /// The number of ``shards``, a power of two. A dictionary that grows moves all its entries under the cache's lock:
    /// 256 small dictionaries move few entries each.
    private static var shardCount: Int { 256 }

    /// The entries by their keys. The hash value selects the dictionary.
    private var shards = [[HashedKey<Key>: Entry]](repeating: [:], count: Self.shardCount)
    /// The entry that was used last.
    private unowned(unsafe) var newestEntry: Entry?
    /// The entry whose last use is longest ago.
    private unowned(unsafe) var oldestEntry: Entry?
    /// The sum of the costs of all entries.
    private(set) var totalCost = 0
    /// The number of entries.
    private(set) var count = 0

    /// Returns the index in ``shards`` of the dictionary that may contain a key.
    private func shardIndex(of key: HashedKey<Key>) -> Int { key.hash & (Self.shardCount - 1) }

    /// Returns the entry for a key without a change of the order of use; nil if there is none.
    func entry(for key: HashedKey<Key>) -> Entry? { shards[shardIndex(of: key)][key] }

    /// Moves an entry of the table to the end of the order of use, because it was used.
    mutating func markUsed(_ entry: Entry) {
        guard newestEntry !== entry else { return }
        unlink(entry)
        linkAsNewest(entry)
    }

    /// Adds an entry at the end of the order of use. The table must have no entry for its key, and the total cost must
    /// not exceed `Int.max`.
    mutating func insert(_ entry: Entry) {
        shards[shardIndex(of: entry.key)][entry.key] = entry
        linkAsNewest(entry)
        totalCost += entry.cost
        count += 1
    }

    /// Removes the entry for a key.
    ///
    /// - Returns: The entry, which the caller must release after the lock is unlocked; nil if there is none.
    mutating func remove(_ key: HashedKey<Key>) -> Entry? {
        guard let entry = shards[shardIndex(of: key)].removeValue(forKey: key) else { return nil }
        unlink(entry)
        totalCost -= entry.cost
        count -= 1
        return entry
    }

    /// Removes the entry whose last use is longest ago, and adds it to the victims.
    ///
    /// - Returns: False if the table is empty.
    mutating func evictLeastRecentlyUsed(to victims: inout CacheVictims<Key, Value>) -> Bool {
        guard let oldestEntry, let entry = remove(oldestEntry.key) else { return false }
        victims.append(entry)
        return true
    }

    /// Removes an entry from the order of use.
    private mutating func unlink(_ entry: Entry) {
        if let olderEntry = entry.olderEntry {
            olderEntry.newerEntry = entry.newerEntry
        } else {
            oldestEntry = entry.newerEntry
        }
        if let newerEntry = entry.newerEntry {
            newerEntry.olderEntry = entry.olderEntry
        } else {
            newestEntry = entry.olderEntry
        }
        (entry.olderEntry, entry.newerEntry) = (nil, nil)
    }

    /// Adds an entry at the end of the order of use.
    private mutating func linkAsNewest(_ entry: Entry) {
        entry.olderEntry = newestEntry
        if let newestEntry { newestEntry.newerEntry = entry } else { oldestEntry = entry }
        newestEntry = entry
    }
}

/// A linked list of evicted entries in the order of their eviction. Adding an entry allocates no memory.
struct CacheVictims<Key: Hashable & Sendable, Value: Sendable> {
    /// The first evicted entry. Each entry owns the next entry.
    private var firstEntry: CacheEntry<Key, Value>?
    /// The last evicted entry.
    private var lastEntry: CacheEntry<Key, Value>?
    /// The number of entries that were added so far, including removed entries.
    private(set) var addedCount = 0

    /// Adds an entry at the end.
    mutating func append(_ entry: CacheEntry<Key, Value>) {
        if let lastEntry { lastEntry.nextVictim = entry } else { firstEntry = entry }
        lastEntry = entry
        addedCount += 1
    }

    /// Removes and returns the first entry; nil if there is none. The caller removes all entries, because releasing the
    /// chain at once would overflow the stack.
    mutating func popFirst() -> CacheEntry<Key, Value>? {
        guard let entry = firstEntry else { return nil }
        firstEntry = entry.nextVictim
        entry.nextVictim = nil
        if firstEntry == nil { lastEntry = nil }
        return entry
    }
}
