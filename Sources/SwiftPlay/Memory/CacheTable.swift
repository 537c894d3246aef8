/// A key with its hash value, which is computed once, outside the cache's lock.
struct HashedKey<Key: Hashable & Sendable>: Hashable, Sendable {
    /// The program's key.
    let key: Key
    /// The hash value of ``key``.
    let hash: Int

    init(_ key: Key) { (self.key, hash) = (key, key.hashValue) }

    static func == (one: Self, other: Self) -> Bool { one.hash == other.hash && one.key == other.key }
    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// An entry of a ``CacheTable``: a value with its key and cost, and its place in the order of use.
final class CacheEntry<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    // @unchecked Sendable: the links are accessed under the cache's lock while the entry is in the table; afterwards
    // only by the thread that removed the entry.
    let key: HashedKey<Key>
    let value: Value
    /// The cost of the value, not negative.
    let cost: Int
    /// The value, if its content can be discarded.
    let content: (any DiscardableContent)?
    // The table owns its entries; the links between them do not, because a long chain of owning links would overflow
    // the stack when it is released.
    /// The entry that was used before this one; nil for the oldest.
    fileprivate(set) unowned(unsafe) var older: CacheEntry?
    /// The entry that was used after this one; nil for the newest.
    fileprivate(set) unowned(unsafe) var newer: CacheEntry?
    /// The entry that was evicted after this one.
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
    /// The entry that was used last, and the entry whose last use is longest ago.
    private unowned(unsafe) var newest: Entry?
    private unowned(unsafe) var oldest: Entry?
    /// The sum of the costs of all entries.
    private(set) var totalCost = 0
    /// The number of entries.
    private(set) var count = 0

    /// Returns the number of the dictionary for a key.
    private func shard(of key: HashedKey<Key>) -> Int { key.hash & (Self.shardCount - 1) }

    /// Returns the entry for a key without using it; nil if there is none.
    func entry(for key: HashedKey<Key>) -> Entry? { shards[shard(of: key)][key] }

    /// Makes an entry of the table the one that was used last.
    mutating func use(_ entry: Entry) {
        guard newest !== entry else { return }
        unlink(entry)
        linkAsNewest(entry)
    }

    /// Adds an entry as the one that was used last. The table has no entry for its key, and the total cost does not
    /// exceed `Int.max`.
    mutating func insert(_ entry: Entry) {
        shards[shard(of: entry.key)][entry.key] = entry
        linkAsNewest(entry)
        totalCost += entry.cost
        count += 1
    }

    /// Removes the entry for a key.
    ///
    /// - Returns: The entry, which the caller releases after the lock; nil if there is none.
    mutating func remove(_ key: HashedKey<Key>) -> Entry? {
        guard let entry = shards[shard(of: key)].removeValue(forKey: key) else { return nil }
        unlink(entry)
        totalCost -= entry.cost
        count -= 1
        return entry
    }

    /// Removes the entry whose last use is longest ago, and adds it to the victims.
    ///
    /// - Returns: false if the table is empty.
    mutating func evictOldest(to victims: inout CacheVictims<Key, Value>) -> Bool {
        guard let oldest, let entry = remove(oldest.key) else { return false }
        victims.append(entry)
        return true
    }

    private mutating func unlink(_ entry: Entry) {
        if let older = entry.older { older.newer = entry.newer } else { oldest = entry.newer }
        if let newer = entry.newer { newer.older = entry.older } else { newest = entry.older }
        (entry.older, entry.newer) = (nil, nil)
    }

    private mutating func linkAsNewest(_ entry: Entry) {
        entry.older = newest
        if let newest { newest.newer = entry } else { oldest = entry }
        newest = entry
    }
}

/// Evicted entries in the order of their eviction. Adding one allocates no memory.
struct CacheVictims<Key: Hashable & Sendable, Value: Sendable> {
    /// The first evicted entry, which owns the next one, and so on.
    private var first: CacheEntry<Key, Value>?
    private var last: CacheEntry<Key, Value>?
    /// The number of entries that were ever added.
    private(set) var count = 0

    mutating func append(_ entry: CacheEntry<Key, Value>) {
        if let last { last.nextVictim = entry } else { first = entry }
        last = entry
        count += 1
    }

    /// Removes and returns the first entry; nil if there is none. The caller removes all entries, because releasing the
    /// chain at once would overflow the stack.
    mutating func popFirst() -> CacheEntry<Key, Value>? {
        guard let entry = first else { return nil }
        first = entry.nextVictim
        entry.nextVictim = nil
        if first == nil { last = nil }
        return entry
    }
}
