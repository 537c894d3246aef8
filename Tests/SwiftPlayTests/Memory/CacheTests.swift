import SystemCalls
import Testing

@testable import SwiftPlay

@Suite struct CacheTests {
    /// Returns a cache with the keys 1 to `count`, whose values each have the cost 10.
    private func makeFilledCache(
        _ count: Int, limit: Int = 0, _ delegate: VictimRecorder<Int>? = nil
    ) -> Cache<Int, Int> {
        let cache = Cache<Int, Int>(responders: MemoryResponders())
        cache.totalCostLimit = limit
        for number in 1...count { cache.setObject(number, forKey: number, cost: 10) }
        cache.delegate = delegate
        return cache
    }

    /// Returns the keys from 1 to 200 for which a cache has values, and thereby marks all these values as used.
    private func keys(_ cache: Cache<Int, Int>) -> [Int] { (1...200).filter { cache.object(forKey: $0) != nil } }

    @Test func leastRecentlyUsedValueIsEvictedWhenAllCostsAreEqual() {
        let recorder = VictimRecorder<Int>()
        let cache = makeFilledCache(3, limit: 30, recorder)
        cache.setObject(4, forKey: 4, cost: 10)
        #expect(keys(cache) == [2, 3, 4] && recorder.takeVictims() == [1] && cache.totalCost == 30)
    }

    @Test func recentlyUsedValueIsNotEvicted() {
        let recorder = VictimRecorder<Int>()
        let cache = makeFilledCache(3, limit: 30, recorder)
        #expect(cache.object(forKey: 1) == 1)
        cache.setObject(4, forKey: 4, cost: 15)
        #expect(recorder.takeVictims() == [2, 3] && keys(cache) == [1, 4])
    }

    @Test func valueAboveTheCostLimitIsEvictedAndOtherValuesStay() {
        let recorder = VictimRecorder<Int>()
        let cache = makeFilledCache(3, limit: 30, recorder)
        cache.setObject(4, forKey: 4, cost: 31)
        #expect(recorder.takeVictims() == [4] && keys(cache) == [1, 2, 3])
        // The new value is too large for the cache, but the older value for its key must not stay either.
        cache.setObject(20, forKey: 2, cost: 31)
        #expect(recorder.takeVictims() == [2] && keys(cache) == [1, 3] && cache.totalCost == 20)
    }

    @Test func loweringALimitEvictsValuesAtOnce() {
        let recorder = VictimRecorder<Int>()
        let cache = makeFilledCache(200, limit: 2000, recorder)
        cache.totalCostLimit = 55
        #expect(recorder.takeVictims() == Array(1...195) && cache.totalCost == 50)
        cache.countLimit = 2
        #expect(recorder.takeVictims() == [196, 197, 198] && cache.count == 2)
    }

    @Test func replacedOrRemovedValueIsNotReported() {
        let recorder = VictimRecorder<Int>()
        let cache = makeFilledCache(3, limit: 30, recorder)
        cache.setObject(11, forKey: 1, cost: 5)
        #expect(cache.object(forKey: 1) == 11 && cache.totalCost == 25 && cache.count == 3)
        cache.removeObject(forKey: 2)
        cache.removeAll()
        #expect(recorder.takeVictims() == [] && cache.totalCost == 0 && cache.count == 0)
    }

    @Test func valuesAreEvictedIfTheSumOfCostsWouldOverflow() {
        let cache = makeFilledCache(1)
        cache.setObject(2, forKey: 2, cost: .max - 5)
        #expect(keys(cache) == [2] && cache.totalCost == .max - 5)
    }

    @Test func valueWithTheCostOfTheLimitEvictsAllOtherValues() {
        let recorder = VictimRecorder<Int>()
        let cache = makeFilledCache(150, limit: 1500, recorder)
        cache.setObject(151, forKey: 151, cost: 1500)
        #expect(recorder.takeVictims() == Array(1...150) && keys(cache) == [151])
    }

    @Test func delegateMayUseTheCache() {
        // If an evicted value has an even key, the delegate adds it under another key, which evicts a further value.
        let recorder = VictimRecorder<Int> { cache, key in
            #expect(cache.object(forKey: key) == nil)
            cache.removeObject(forKey: 1000 + key)
            if key % 2 == 0, key < 100 { cache.setObject(key, forKey: key + 100, cost: 10) }
            cache.totalCostLimit = 30
        }
        let cache = makeFilledCache(3, limit: 30, recorder)
        cache.setObject(4, forKey: 4, cost: 10)
        cache.setObject(5, forKey: 5, cost: 10)
        #expect(recorder.takeVictims() == [1, 2, 3] && keys(cache) == [4, 5, 102])
    }

    @Test func valueMayUseTheCacheWhileItIsReleased() {
        let cache = Cache<Int, CallOnRelease>(responders: MemoryResponders())
        let counts = Monitor<[Int]>([])
        let makeValue = { @Sendable in
            CallOnRelease { [weak cache] in counts.withLock { $0.append(cache?.count ?? -1) } }
        }
        cache.countLimit = 2
        for key in 0..<3 { cache.setObject(makeValue(), forKey: key) }
        cache.setObject(makeValue(), forKey: 2)
        cache.removeObject(forKey: 2)
        cache.setObject(makeValue(), forKey: 3)
        cache.removeAll()
        #expect(counts.withLock { $0 } == [2, 2, 1, 0, 0])
    }

    @Test func releasingAHundredThousandValuesDoesNotOverflowTheStack() {
        let cache = Cache<Int, Int>(responders: MemoryResponders())
        for key in 0..<100_000 { cache.setObject(key, forKey: key, cost: 1) }
        cache.setObject(-1, forKey: -1, cost: 1)
        cache.totalCostLimit = 50_000
        #expect(cache.count == 50_000)
        cache.removeAll()
        #expect(cache.count == 0)
    }

    @Test func cacheDoesNotRetainItsDelegate() {
        let cache = makeFilledCache(2)
        cache.delegate = VictimRecorder<Int>()
        #expect(cache.delegate == nil)
        cache.trim(toCost: 0)
    }

    @Test func trimmingToZeroEvictsValuesWithoutCosts() {
        let recorder = VictimRecorder<Int>()
        let cache = Cache<Int, Int>(responders: MemoryResponders())
        cache.delegate = recorder
        for key in 1...3 { cache.setObject(key, forKey: key) }
        cache.trim(toCost: 1)
        #expect(cache.count == 3)
        cache.trim(toCost: 0)
        #expect(recorder.takeVictims() == [1, 2, 3])
    }
}

/// A value that calls a closure when it is released.
private final class CallOnRelease: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
}
