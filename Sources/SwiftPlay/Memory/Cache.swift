import SystemCalls

/// A cache with a cost limit that evicts the values that were not used for longest (NSCache).
/// Safe to use from any thread.
///
/// Use it for values that are cheap to make again, such as decoded thumbnails. Unlike Foundation's NSCache, the limits
/// are strict: the sum of the costs never exceeds ``totalCostLimit`` after a call. The victims are always those whose
/// last ``object(forKey:)`` or ``setObject(_:forKey:cost:)`` is longest ago, whatever their costs.
///
/// The cache empties to ``workingSetCost`` when the program has only background media, and shrinks on memory warnings.
///
/// Performance: a call takes less than a microsecond, and 150 bytes of memory for each value. No lock is held while the
/// delegate runs or a value is released. The operator `==` of the keys runs under the lock: the operator must not use
/// the cache. Keys are not copied. Up to some 400,000 values, the lock is never held for longer than 100 microseconds.
public final class Cache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The values and settings.
    let state = Monitor(State())
    /// The list of objects that release memory after a memory warning. The cache is in this list.
    private let responders: MemoryResponders

    /// The values and settings of a cache.
    struct State {
        /// The values in the order of their use.
        var table = CacheTable<Key, Value>()
        /// The limits of the cost and the number of values.
        var limits = Limits()
        /// See ``Cache/evictsObjectsWithDiscardedContent``.
        var evictsDiscardedContent = true
        weak var delegate: (any CacheDelegate<Key, Value>)?
    }

    /// The limits of a cache; zero means no limit.
    struct Limits {
        /// The largest sum of the costs of all values.
        var cost = 0
        /// The largest number of values.
        var count = 0
        /// The cost of the values that stay on ``MemoryReduction/workingSet``; zero keeps no values.
        var workingSetCost = 0
    }

    /// Creates an empty cache without limits.
    public convenience init() { self.init(responders: .shared) }

    /// Creates an empty cache, and adds it to a list of objects that release memory on request.
    package init(responders: MemoryResponders) {
        self.responders = responders
        responders.add(self)
    }

    deinit { responders.remove(self) }

    /// The largest sum of costs; zero, the default, means no limit. If the sum is larger than a new limit, the setter
    /// evicts values.
    public var totalCostLimit: Int {
        get { state.withLock { $0.limits.cost } }
        set {
            precondition(newValue >= 0, "a cost limit is not negative")
            state.withLock { $0.limits.cost = newValue }
            evict { $0.table.totalCost > $0.limits.maximumCost }
        }
    }

    /// The largest number of values; zero, the default, means no limit. If there are more values, the setter evicts
    /// some.
    public var countLimit: Int {
        get { state.withLock { $0.limits.count } }
        set {
            precondition(newValue >= 0, "a count limit is not negative")
            state.withLock { $0.limits.count = newValue }
            evict { $0.table.count > $0.limits.maximumCount }
        }
    }

    /// The cost that stays when the program has only background media, such as the values on screen. Zero, the default,
    /// empties the cache then.
    public var workingSetCost: Int {
        get { state.withLock { $0.limits.workingSetCost } }
        set {
            precondition(newValue >= 0, "a cost is not negative")
            state.withLock { $0.limits.workingSetCost = newValue }
        }
    }

    /// Whether ``object(forKey:)`` evicts a value that is a ``DiscardableContent`` and whose content was discarded;
    /// true by default.
    public var evictsObjectsWithDiscardedContent: Bool {
        get { state.withLock { $0.evictsDiscardedContent } }
        set { state.withLock { $0.evictsDiscardedContent = newValue } }
    }

    /// The delegate, which is notified of evicted values. The cache does not keep it alive.
    public var delegate: (any CacheDelegate<Key, Value>)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// The sum of the costs of all values. Exact: each value counts with the cost with which it was set.
    public var totalCost: Int { state.withLock { $0.table.totalCost } }

    /// The number of values.
    public var count: Int { state.withLock { $0.table.count } }
}

extension Cache.Limits {
    /// The largest permitted sum of costs.
    var maximumCost: Int { cost == 0 ? .max : cost }
    /// The largest permitted number of values.
    var maximumCount: Int { count == 0 ? .max : count }
}

/// Receives the values that a cache evicts (NSCacheDelegate).
public protocol CacheDelegate<Key, Value>: AnyObject, Sendable {
    /// The type of the cache's keys.
    associatedtype Key: Hashable & Sendable
    /// The type of the cache's values.
    associatedtype Value: Sendable

    /// Receives a value that the cache evicted because of a limit, a memory warning, a change of role or discarded
    /// content. Replaced and removed values are not reported.
    ///
    /// The cache calls this method on the thread whose call evicted the value, after the removal of the value and
    /// without a lock. The method may use the cache. If each call adds the value again and thereby evicts another
    /// value, the calls do not end.
    ///
    /// - Parameters:
    ///   - cache: The cache.
    ///   - object: The value.
    ///   - key: The key of the value.
    func cache(_ cache: Cache<Key, Value>, willEvictObject object: Value, forKey key: Key)
}
