import Testing

@testable import SwiftPlayKit

@Suite struct PreviewCacheTests {
    @Test func theOneThatWasAskedForLongestAgoGoes() {
        var cache = PreviewCache<String>(limit: 2)
        cache.keep("a", at: 1)
        cache.keep("b", at: 2)
        #expect(cache.picture(at: 1) == "a")
        cache.keep("c", at: 3)
        #expect(cache.picture(at: 2) == nil && cache.picture(at: 1) == "a" && cache.picture(at: 3) == "c")
        #expect(cache.count == 2)
    }

    @Test func keepingAPlaceAgainTakesNoRoom() {
        var cache = PreviewCache<Int>(limit: 3)
        for number in 0..<100 { cache.keep(number, at: number % 2) }
        #expect(cache.count == 2 && cache.picture(at: 1) == 99)
        cache.clear()
        #expect(cache.count == 0 && cache.picture(at: 1) == nil)
    }
}
