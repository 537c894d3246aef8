import Testing

@testable import SwiftPlay

@Suite struct TrackListTests {
    /// A list whose items get the numbers 1, 2 and so on.
    private struct NumberedList {
        var list = TrackList()
        var lastNumber: UInt64 = 0

        mutating func update(_ queue: [String], index: Int = 0) -> Bool {
            list.update(queue, index: index) {
                lastNumber += 1
                return lastNumber
            }
        }

        var numbers: [UInt64] { list.tracks.map(\.number) }
    }

    @Test func itemsKeepTheirNumbersWhenTheListChanges() {
        var list = NumberedList()
        let isChanged = list.update(["a", "b", "a"])
        #expect(isChanged && list.numbers == [1, 2, 3])
        let isChangedByIndex = list.update(["a", "b", "a"], index: 2)
        #expect(!isChangedByIndex && list.numbers == [1, 2, 3])
        let isChangedByOrder = list.update(["b", "c", "a", "a"], index: 3)
        #expect(isChangedByOrder && list.numbers == [2, 4, 1, 3])
    }

    @Test func currentItemIsPreferredAmongItemsOfTheSameLocation() {
        var list = NumberedList()
        _ = list.update(["a", "b", "a"], index: 2)
        #expect(list.list.number(of: "a") == 3 && list.list.number(of: "b") == 2)
        #expect(list.list.number(of: "c") == nil)
    }

    @Test func objectPathIdentifiesAnItem() {
        var list = NumberedList()
        _ = list.update(["a", "b"])
        #expect(list.list.track(withID: NowPlayingState.trackID(of: 2))?.index == 1)
        #expect(list.list.track(withID: NowPlayingState.noTrack) == nil && list.list.track(withID: nil) == nil)
    }

    @Test func oneRequestReturnsAtMostAsManyItemsAsThePublishedPart() {
        var list = NumberedList()
        _ = list.update(["a", "b"])
        let id = NowPlayingState.trackID(of: 2)
        #expect(list.list.tracks(withIDs: [id, NowPlayingState.noTrack, nil]).map(\.location) == ["b"])
        #expect(list.list.tracks(withIDs: Array(repeating: id, count: 10_000)).count == TrackList.limit)
    }

    @Test("a long list is cut around the current item", arguments: [(0, 0), (99, 0), (600, 500), (9999, 9500)])
    func longListIsCutAroundTheCurrentItem(index: Int, first: Int) throws {
        var list = NumberedList()
        _ = list.update((0..<10_000).map(String.init), index: index)
        #expect(list.list.tracks.count == TrackList.limit && list.list.tracks.first?.index == first)
        #expect(list.list.number(of: String(index)) != nil)
    }
}
