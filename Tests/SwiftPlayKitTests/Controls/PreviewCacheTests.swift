import Testing

@testable import SwiftPlayKit

@Suite struct PreviewCacheTests {
    @Test func leastRecentlyUsedPictureIsEvicted() {
        var cache = PreviewCache<String>(maximumCount: 2)
        cache.store("a", at: 1)
        cache.store("b", at: 2)
        #expect(cache.picture(at: 1) == "a")
        cache.store("c", at: 3)
        #expect(cache.picture(at: 2) == nil && cache.picture(at: 1) == "a" && cache.picture(at: 3) == "c")
        #expect(cache.count == 2)
    }

    @Test func replacingAPictureDoesNotGrowTheCache() {
        var cache = PreviewCache<Int>(maximumCount: 3)
        for number in 0..<100 { cache.store(number, at: number % 2) }
        #expect(cache.count == 2 && cache.picture(at: 1) == 99)
        cache.clear()
        #expect(cache.count == 0 && cache.picture(at: 1) == nil)
    }
}
