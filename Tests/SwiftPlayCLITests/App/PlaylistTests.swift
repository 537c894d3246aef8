import TestSupport
import Testing

@testable import SwiftPlayCLI

@Suite struct PlaylistTests {
    @Test func advancingAndGoingBackStopAtTheEnds() {
        var playlist = Playlist(files: ["a", "b", "c"])
        #expect(playlist.current == "a" && !playlist.goBack())
        #expect(playlist.advance() && playlist.current == "b")
        #expect(playlist.advance() && playlist.current == "c")
        #expect(!playlist.advance() && playlist.current == "c")
        #expect(playlist.goBack() && playlist.current == "b")
    }

    @Test func anEmptyListHasNoCurrentEntry() {
        var playlist = Playlist(files: [])
        #expect(playlist.current == nil && !playlist.advance() && !playlist.goBack())
        playlist.load("a", appending: true)
        #expect(playlist.current == "a")
    }

    @Test func aFileIsAppendedOrReplacesAllEntries() {
        var playlist = Playlist(files: ["a", "b"])
        _ = playlist.advance()
        playlist.load("c", appending: true)
        #expect(playlist.current == "b" && playlist.files == ["a", "b", "c"])
        playlist.load("d", appending: false)
        #expect(playlist.current == "d" && playlist.files == ["d"] && playlist.position == 0)
    }

    @Test func theListRepeatsForTheGivenRounds() {
        var playlist = Playlist(files: ["a", "b"])
        playlist.remainingRounds = .times(1)
        #expect(playlist.advance() && playlist.current == "b")
        // A round through the playlist in which no file plays ends the repetition of the playlist.
        #expect(playlist.nextPosition == nil && !playlist.advance())
        playlist.didPlay()
        #expect(playlist.nextPosition == 0 && playlist.advance() && playlist.current == "a")
        #expect(playlist.remainingRounds == .times(0))
        #expect(playlist.advance() && !playlist.advance())
        playlist.remainingRounds = .forever
        playlist.didPlay()
        #expect(playlist.advance() && playlist.current == "a" && playlist.remainingRounds == .forever)
    }

    @Test func aRepeatedEntryIsCountedOnce() {
        var playlist = Playlist(files: ["a", "b", "c"])
        for _ in 0..<3 { playlist.didPlay() }
        #expect(playlist.playedCount == 3 && playlist.playedEntryCount == 1)
        _ = playlist.advance()
        playlist.load("d", appending: true)
        var generator = SeededGenerator.printingSeed()
        playlist.shuffle(using: &generator, keepingCurrent: true)
        playlist.didPlay()
        #expect(playlist.current == "b" && playlist.playedEntryCount == 2)
        playlist.clear()
        #expect(playlist.playedEntryCount == 1)
        playlist.load("e", appending: false)
        #expect(playlist.playedEntryCount == 0)
    }

    @Test func goingShufflingAndClearingKeepTheCurrentEntry() {
        var playlist = Playlist(files: (0..<50).map { "\($0)" })
        #expect(playlist.go(to: 7) && !playlist.go(to: 50))
        var generator = SeededGenerator.printingSeed()
        playlist.shuffle(using: &generator, keepingCurrent: true)
        #expect(playlist.current == "7" && playlist.position == 0 && Set(playlist.files).count == 50)
        #expect(playlist.files != ["7"] + (0..<50).map { "\($0)" }.filter { $0 != "7" })
        playlist.clear()
        #expect(playlist.files == ["7"])
    }
}
