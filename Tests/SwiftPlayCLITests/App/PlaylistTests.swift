import TestSupport
import Testing

@testable import SwiftPlayCLI

@Suite struct PlaylistTests {
    @Test func advancingAndGoingBackStopAtTheEnds() {
        var list = Playlist(files: ["a", "b", "c"])
        #expect(list.current == "a" && !list.goBack())
        #expect(list.advance() && list.current == "b")
        #expect(list.advance() && list.current == "c")
        #expect(!list.advance() && list.current == "c")
        #expect(list.goBack() && list.current == "b")
    }

    @Test func anEmptyListHasNoCurrentEntry() {
        var list = Playlist(files: [])
        #expect(list.current == nil && !list.advance() && !list.goBack())
        list.load("a", appending: true)
        #expect(list.current == "a")
    }

    @Test func aFileIsAppendedOrReplacesAllEntries() {
        var list = Playlist(files: ["a", "b"])
        _ = list.advance()
        list.load("c", appending: true)
        #expect(list.current == "b" && list.files == ["a", "b", "c"])
        list.load("d", appending: false)
        #expect(list.current == "d" && list.files == ["d"] && list.position == 0)
    }

    @Test func theListRepeatsForTheGivenRounds() {
        var list = Playlist(files: ["a", "b"])
        list.remainingRounds = .times(1)
        #expect(list.advance() && list.current == "b")
        // A round through the playlist in which no file plays ends the repetition of the playlist.
        #expect(list.nextPosition == nil && !list.advance())
        list.didPlay()
        #expect(list.nextPosition == 0 && list.advance() && list.current == "a" && list.remainingRounds == .times(0))
        #expect(list.advance() && !list.advance())
        list.remainingRounds = .forever
        list.didPlay()
        #expect(list.advance() && list.current == "a" && list.remainingRounds == .forever)
    }

    @Test func aRepeatedEntryCountsOnce() {
        var list = Playlist(files: ["a", "b", "c"])
        for _ in 0..<3 { list.didPlay() }
        #expect(list.playedCount == 3 && list.playedEntryCount == 1)
        _ = list.advance()
        list.load("d", appending: true)
        var generator = SeededGenerator.printingSeed()
        list.shuffle(using: &generator, keepingCurrent: true)
        list.didPlay()
        #expect(list.current == "b" && list.playedEntryCount == 2)
        list.clear()
        #expect(list.playedEntryCount == 1)
        list.load("e", appending: false)
        #expect(list.playedEntryCount == 0)
    }

    @Test func goingShufflingAndClearingKeepTheCurrentEntry() {
        var list = Playlist(files: (0..<50).map { "\($0)" })
        #expect(list.go(to: 7) && !list.go(to: 50))
        var generator = SeededGenerator.printingSeed()
        list.shuffle(using: &generator, keepingCurrent: true)
        #expect(list.current == "7" && list.position == 0 && Set(list.files).count == 50)
        #expect(list.files != ["7"] + (0..<50).map { "\($0)" }.filter { $0 != "7" })
        list.clear()
        #expect(list.files == ["7"])
    }
}
