import Testing
@testable import SwiftPlayCLI

@Suite struct PlaylistTests {
    @Test func itIsGoneThroughOnceAndBack() {
        var list = Playlist(files: ["a", "b", "c"])
        #expect(list.current == "a" && !list.isLast && !list.goBack())
        #expect(list.advance() && list.current == "b")
        #expect(list.advance() && list.current == "c" && list.isLast)
        #expect(!list.advance() && list.current == "c")
        #expect(list.goBack() && list.current == "b")
    }

    @Test func anEmptyOneHasNothing() {
        var list = Playlist(files: [])
        #expect(list.current == nil && list.isLast && !list.advance() && !list.goBack())
        list.load("a", appending: true)
        #expect(list.current == "a")
    }

    @Test func aFileIsAppendedOrTakesThePlaceOfAll() {
        var list = Playlist(files: ["a", "b"])
        _ = list.advance()
        list.load("c", appending: true)
        #expect(list.current == "b" && list.files == ["a", "b", "c"] && !list.isLast)
        list.load("d", appending: false)
        #expect(list.current == "d" && list.files == ["d"] && list.position == 0)
    }
}
