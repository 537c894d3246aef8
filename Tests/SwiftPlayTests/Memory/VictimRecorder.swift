import SwiftPlay
import SystemCalls

/// A delegate that records the keys of evicted values, and performs an action at each eviction.
final class VictimRecorder<Value: Sendable>: CacheDelegate {
    typealias Key = Int

    private let keys = Monitor<[Int]>([])
    /// The action at each eviction, which receives the cache and the key of the evicted value.
    private let action: @Sendable (Cache<Int, Value>, Int) -> Void

    init(_ action: @escaping @Sendable (Cache<Int, Value>, Int) -> Void = { _, _ in }) { self.action = action }

    func cache(_ cache: Cache<Int, Value>, willEvictObject object: Value, forKey key: Int) {
        keys.withLock { $0.append(key) }
        action(cache, key)
    }

    /// Returns the keys of the values that were evicted since the last call.
    func takeVictims() -> [Int] {
        keys.withLock { keys in
            defer { keys.removeAll(keepingCapacity: true) }
            return keys
        }
    }
}
