import TestSupport
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

    @Test func itCanBePlayedOverAndOver() {
        var list = Playlist(files: ["a", "b"])
        list.rounds = .times(1)
        #expect(list.advance() && list.current == "b")
        // A round in which nothing plays is the last one.
        #expect(list.following == nil && !list.advance())
        list.notePlayed()
        #expect(list.following == 0 && list.advance() && list.current == "a" && list.rounds == .times(0))
        #expect(list.advance() && !list.advance())
        list.rounds = .forever
        list.notePlayed()
        #expect(list.advance() && list.current == "a" && list.rounds == .forever)
    }

    @Test func anEntryThatIsRepeatedCountsOnce() {
        var list = Playlist(files: ["a", "b", "c"])
        for _ in 0..<3 { list.notePlayed() }
        #expect(list.played == 3 && list.entriesPlayed == 1)
        _ = list.advance()
        list.load("d", appending: true)
        var generator = SeededGenerator.printingSeed()
        list.shuffle(using: &generator, keepingCurrent: true)
        list.notePlayed()
        #expect(list.current == "b" && list.entriesPlayed == 2)
        list.clear()
        #expect(list.entriesPlayed == 1)
        list.load("e", appending: false)
        #expect(list.entriesPlayed == 0)
    }

    @Test func itCanBeShuffledClearedAndEnteredAnywhere() {
        var list = Playlist(files: (0..<50).map { "\($0)" })
        #expect(list.go(to: 7) && !list.go(to: 50))
        var generator = SeededGenerator.printingSeed()
        list.shuffle(using: &generator, keepingCurrent: true)
        #expect(list.current == "7" && list.position == 0 && Set(list.files).count == 50)
        #expect(list.files != ["7"] + (0..<50).map { "\($0)" }.filter { $0 != "7" })
        list.clear()
        #expect(list.files == ["7"] && list.isLast)
    }
}
