import SystemCalls
import Testing

@testable import SwiftPlay

@Suite struct MemoryResponderTests {
    private let responders = MemoryResponders()

    /// A cache that belongs to ``responders``, with ten values.
    private func cache(cost: Int) -> Cache<Int, Int> {
        let cache = Cache<Int, Int>(responders: responders)
        for key in 1...10 { cache.setObject(key, forKey: key, cost: cost) }
        return cache
    }

    @Test func aCacheKeepsHalfOfItsLimitThenItsWorkingSetThenNoValues() {
        let cache = cache(cost: 10)
        cache.totalCostLimit = 120
        cache.workingSetCost = 25
        responders.reduceMemory(to: .half)
        #expect(cache.totalCost == 60)
        responders.reduceMemory(to: .workingSet)
        #expect(cache.totalCost == 20 && cache.object(forKey: 10) == 10)
        responders.reduceMemory(to: .all)
        #expect(cache.count == 0)
    }

    @Test func aCacheWithoutLimitsKeepsHalfOfItsCostsOrValues() {
        let (costly, free, counted) = (cache(cost: 10), cache(cost: 0), cache(cost: 0))
        counted.countLimit = 12
        responders.reduceMemory(to: .half)
        #expect(costly.totalCost == 50 && free.count == 5 && counted.count == 6)
        responders.reduceMemory(to: .workingSet)
        #expect(costly.count == 0 && free.count == 0 && counted.count == 0)
    }

    @Test func releasedMembersLeaveTheList() throws {
        do {
            let first = cache(cost: 1)
            let buffer = try PurgeableBuffer(byteCount: 10, responders: responders) { _ in }
            #expect(responders.count == 2)
            withExtendedLifetime((first, buffer)) {}
        }
        #expect(responders.count == 0)
    }

    @Test func membersMayJoinAndLeaveWhileTheListIsUsed() {
        let responders = responders
        let added = Monitor<[Cache<Int, Int>]>([])
        let recorder = VictimRecorder<Int> { _, _ in added.withLock { $0.append(Cache(responders: responders)) } }
        let cache = cache(cost: 1)
        cache.delegate = recorder
        responders.reduceMemory(to: .all)
        #expect(responders.count == 11)
        added.withLock { $0.removeAll() }
        #expect(responders.count == 1)
        withExtendedLifetime(cache) {}
    }

    @Test func buffersInUseKeepTheirContent() throws {
        let used = try PurgeableBuffer(byteCount: 5000, responders: responders) { $0[4999] = 7 }
        let unused = try PurgeableBuffer(byteCount: 5000, responders: responders) { $0[4999] = 7 }
        unused.endContentAccess()
        responders.reduceMemory(to: .half)
        #expect(unused.withBytes { $0[4999] } == 7)
        responders.reduceMemory(to: .workingSet)
        #expect(unused.isContentDiscarded && used.withBytes { $0[4999] } == 7)
    }
}
