import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct CacheModelTests {
    /// Performs the operation with the given number (0 to 99) on a cache and on its model, with random arguments.
    private static func perform(
        _ number: Int, on cache: Cache<Int, Int>, _ model: inout CacheModel, _ random: inout SeededGenerator
    ) {
        let key = Int(random.next() % 24)
        switch number {
        case 0..<45:
            // The costs come from a short list, so that many values have equal costs. The highest cost often exceeds
            // the limit.
            let cost = [0, 1, 10, 10, 10, 10, 25, 130][Int(random.next() % 8)]
            cache.setObject(key, forKey: key, cost: cost)
            model.set(key, cost: cost)
        case 45..<90: #expect((cache.object(forKey: key) != nil) == model.use(key))
        case 90..<95:
            cache.removeObject(forKey: key)
            model.remove(key)
        case 95:
            let cost = Int(random.next() % 100)
            cache.trim(toCost: cost)
            model.trim(toCost: cost)
        case 96..<98:
            let limit = Int(random.next() % 160)
            cache.totalCostLimit = limit
            model.setCostLimit(limit)
        case 98:
            let limit = Int(random.next() % 20)
            cache.countLimit = limit
            model.setCountLimit(limit)
        default:
            // Empty the cache rarely, so that it is full most of the time.
            guard random.next() % 50 == 0 else { return }
            cache.removeAll()
            model.removeAll()
        }
    }

    @Test func cacheAndModelEvictTheSameValuesInRandomOperations() {
        var random = SeededGenerator.printingSeed()
        let recorder = VictimRecorder<Int>()
        let cache = Cache<Int, Int>(responders: MemoryResponders())
        cache.delegate = recorder
        var model = CacheModel(), evictionCount = 0
        for _ in 0..<250_000 {
            Self.perform(Int(random.next() % 100), on: cache, &model, &random)
            let victims = model.takeVictims()
            evictionCount += victims.count
            // Compare without `#expect`, which is too slow for so many comparisons.
            let isEqual =
                recorder.takeVictims() == victims && cache.totalCost == model.totalCost && cache.count == model.count
                && (model.costLimit == 0 || cache.totalCost <= model.costLimit)
            guard isEqual else {
                Issue.record("cache: \(cache.count), cost \(cache.totalCost); model: \(model), victims \(victims)")
                return
            }
        }
        #expect(evictionCount > 50_000)
    }

    @Test func cacheStaysWithinItsLimitsWhileEightThreadsUseIt() throws {
        var generator = SeededGenerator.printingSeed()
        let seed = generator.next()
        let cache = Cache<Int, Int>(responders: MemoryResponders())
        // The delegate calls the cache, so that a cache that holds its lock during delegate calls deadlocks.
        let recorder = VictimRecorder<Int> { cache, key in _ = cache.object(forKey: key &+ 1) }
        cache.delegate = recorder
        cache.totalCostLimit = 1000
        cache.countLimit = 150
        let errorCount = Monitor(0)
        let threads = try (0..<8).map { thread in
            try NamedThread("cache \(thread)") {
                var random = SeededGenerator(seed: seed &+ UInt64(thread))
                for _ in 0..<20_000 {
                    let key = Int(random.next() % 400)
                    switch random.next() % 16 {
                    case 0..<7: cache.setObject(key, forKey: key, cost: Int(random.next() % 30))
                    case 7..<13:
                        let value = cache.object(forKey: key)
                        if value != nil, value != key { errorCount.withLock { $0 += 1 } }
                    case 13: cache.removeObject(forKey: key)
                    case 14: cache.reduceMemory(to: .half)
                    default: if random.next() % 64 == 0 { cache.removeAll() }
                    }
                    if cache.totalCost > 1000 || cache.count > 150 { errorCount.withLock { $0 += 1 } }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(errorCount.withLock { $0 } == 0)
        cache.trim(toCost: 0)
        #expect(cache.totalCost == 0 && cache.count == 0)
    }
}
