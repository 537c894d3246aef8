import SystemCalls
import Testing

@testable import SwiftPlay

@Suite struct MemoryResponderTests {
    private let responders = MemoryResponders()

    /// Returns a cache that belongs to ``responders``, with ten values of the given cost.
    private func makeCache(cost: Int) -> Cache<Int, Int> {
        let cache = Cache<Int, Int>(responders: responders)
        for key in 1...10 { cache.setObject(key, forKey: key, cost: cost) }
        return cache
    }

    @Test func cacheShrinksToHalfItsLimitThenItsWorkingSetThenZero() {
        let cache = makeCache(cost: 10)
        cache.totalCostLimit = 120
        cache.workingSetCost = 25
        responders.reduceMemory(to: .half)
        #expect(cache.totalCost == 60)
        responders.reduceMemory(to: .workingSet)
        #expect(cache.totalCost == 20 && cache.object(forKey: 10) == 10)
        responders.reduceMemory(to: .all)
        #expect(cache.count == 0)
    }

    @Test func cacheWithoutLimitsKeepsHalfOfItsCostOrValues() {
        let cacheWithCosts = makeCache(cost: 10)
        let cacheWithoutCosts = makeCache(cost: 0), cacheWithCountLimit = makeCache(cost: 0)
        cacheWithCountLimit.countLimit = 12
        responders.reduceMemory(to: .half)
        #expect(cacheWithCosts.totalCost == 50 && cacheWithoutCosts.count == 5 && cacheWithCountLimit.count == 6)
        responders.reduceMemory(to: .workingSet)
        #expect(cacheWithCosts.count == 0 && cacheWithoutCosts.count == 0 && cacheWithCountLimit.count == 0)
    }

    @Test func releasedRespondersAreRemovedFromTheList() throws {
        do {
            let cache = makeCache(cost: 1)
            let buffer = try PurgeableBuffer(byteCount: 10, responders: responders) { _ in }
            #expect(responders.count == 2)
            withExtendedLifetime((cache, buffer)) {}
        }
        #expect(responders.count == 0)
    }

    @Test func respondersMayBeAddedAndRemovedDuringAReduction() {
        let responders = responders
        let addedCaches = Monitor<[Cache<Int, Int>]>([])
        let recorder = VictimRecorder<Int> { _, _ in addedCaches.withLock { $0.append(Cache(responders: responders)) } }
        let cache = makeCache(cost: 1)
        cache.delegate = recorder
        responders.reduceMemory(to: .all)
        #expect(responders.count == 11)
        addedCaches.withLock { $0.removeAll() }
        #expect(responders.count == 1)
        withExtendedLifetime(cache) {}
    }

    @Test func buffersInUseKeepTheirContent() throws {
        let usedBuffer = try PurgeableBuffer(byteCount: 5000, responders: responders) { $0[4999] = 7 }
        let unusedBuffer = try PurgeableBuffer(byteCount: 5000, responders: responders) { $0[4999] = 7 }
        unusedBuffer.endContentAccess()
        responders.reduceMemory(to: .half)
        #expect(unusedBuffer.withBytes { $0[4999] } == 7)
        responders.reduceMemory(to: .workingSet)
        #expect(unusedBuffer.isContentDiscarded && usedBuffer.withBytes { $0[4999] } == 7)
    }
}
