import Testing

@testable import MediaPipeline

@Suite struct KeyframeIndexTests {
    /// Returns the index entry of a keyframe at `time`.
    private func entry(_ time: Int64) -> KeyframeIndex.Entry {
        KeyframeIndex.Entry(time: time, position: time * 10, offset: 0, precedingPacketCount: time)
    }

    /// Returns an index of keyframes at the given times, with at most `limit` entries.
    private func index(_ times: [Int64], limit: Int = 100) -> KeyframeIndex {
        var index = KeyframeIndex(limit: limit)
        for time in times { index.insert(entry(time)) }
        return index
    }

    @Test func anEmptyIndexReturnsNoEntries() {
        let index = index([])
        #expect(index.last(atOrBefore: .max) == nil && index.first(after: .min) == nil && !index.isDense(at: 0))
    }

    @Test func entriesAreSortedByTime() {
        #expect(index([5, 1, 3, 2, 4]).entries.map(\.time) == [1, 2, 3, 4, 5])
    }

    @Test func aSecondEntryWithTheSameTimeIsIgnored() {
        var index = index([10])
        index.insert(KeyframeIndex.Entry(time: 10, position: 999, offset: 0, precedingPacketCount: 0))
        #expect(index.entries == [entry(10)])
    }

    @Test func entriesBeforeAndAfterATimeAreFound() {
        let index = index([10, 20, 30])
        #expect(index.last(atOrBefore: 9) == nil)
        #expect(index.last(atOrBefore: 10) == entry(10))
        #expect(index.last(atOrBefore: 29) == entry(20))
        #expect(index.last(atOrBefore: .max) == entry(30))
        #expect(index.first(after: .min) == entry(10))
        #expect(index.first(after: 10) == entry(20))
        #expect(index.first(after: 30) == nil)
    }

    @Test func fullIndexRemovesEverySecondEntryExceptTheEnds() {
        let index = index(Array(0...100), limit: 100)
        #expect(index.entries.count == 51)
        #expect(index.entries.first == entry(0) && index.entries.last == entry(100))
        #expect(zip(index.entries, index.entries.dropFirst()).allSatisfy { $1.time - $0.time == 2 })
    }

    @Test func sizeNeverExceedsTheLimit() {
        var index = KeyframeIndex(limit: 64)
        for time in 0..<10_000 as Range<Int64> {
            index.insert(entry(time))
            #expect(index.entries.count <= 64)
        }
    }

    @Test func anIndexIsDenseBetweenKeyframesLessThanASecondApart() {
        let second: Int64 = 1_000_000_000
        let index = index([0, second - 1, 3 * second])
        #expect(index.isDense(at: 0) && index.isDense(at: second - 2))
        #expect(!index.isDense(at: second - 1) && !index.isDense(at: 2 * second))
        #expect(!index.isDense(at: -1) && !index.isDense(at: 3 * second))
        #expect(!self.index([0, second]).isDense(at: 0))
    }

    @Test func binarySearchAgreesWithLinearSearch() {
        let times: [Int64] = [-7, -1, 0, 4, 5, 6, 100, 101]
        let index = index(times)
        for time in -10...110 as ClosedRange<Int64> {
            #expect(index.last(atOrBefore: time)?.time == times.last { $0 <= time })
            #expect(index.first(after: time)?.time == times.first { $0 > time })
        }
    }
}
