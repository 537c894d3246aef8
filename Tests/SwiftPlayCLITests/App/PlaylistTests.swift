import TestSupport
import Testing

@testable import SwiftPlayCLI

@Suite struct PlaylistTests {
    @Test func advancingAndGoingBackStopAtTheEnds() {
        var playlist = Playlist(files: ["a", "b", "c"])
        #expect(playlist.currentFile == "a" && !playlist.goBack())
        #expect(playlist.advance() && playlist.currentFile == "b")
        #expect(playlist.advance() && playlist.currentFile == "c")
        #expect(!playlist.advance() && playlist.currentFile == "c")
        #expect(playlist.goBack() && playlist.currentFile == "b")
    }

    @Test func anEmptyListHasNoCurrentEntry() {
        var playlist = Playlist(files: [])
        #expect(playlist.currentFile == nil && !playlist.advance() && !playlist.goBack())
        playlist.load("a", appending: true)
        #expect(playlist.currentFile == "a")
    }

    @Test func aFileIsAppendedOrReplacesAllEntries() {
        var playlist = Playlist(files: ["a", "b"])
        _ = playlist.advance()
        playlist.load("c", appending: true)
        #expect(playlist.currentFile == "b" && playlist.files == ["a", "b", "c"])
        playlist.load("d", appending: false)
        #expect(playlist.currentFile == "d" && playlist.files == ["d"] && playlist.position == 0)
    }

    @Test func anEntryIsReplacedWithTheEntriesOfAPlaylist() {
        var playlist = Playlist(files: ["a", "list.m3u", "d"])
        _ = playlist.advance()
        let entries = [Playlist.Entry(location: "b", title: "B"), Playlist.Entry(location: "c")]
        #expect(playlist.replaceCurrentEntry(with: entries) == 2 && playlist.files == ["a", "b", "c", "d"])
        #expect(playlist.currentEntry == entries.first && playlist.position == 1)
        playlist.didPlay()
        #expect(playlist.playedEntryCount == 1)
    }

    @Test func theNumberOfEntriesIsBounded() {
        var playlist = Playlist(files: ["a", "b"])
        let entries = Array(repeating: Playlist.Entry(location: "x"), count: Playlist.entryLimit)
        #expect(playlist.replaceCurrentEntry(with: entries) == Playlist.entryLimit - 1)
        #expect(playlist.entries.count == Playlist.entryLimit)
        #expect(playlist.replaceCurrentEntry(with: entries) == 1 && playlist.entries.count == Playlist.entryLimit)
        var emptyPlaylist = Playlist(files: [])
        #expect(emptyPlaylist.replaceCurrentEntry(with: entries) == 0)
    }

    @Test func theListRepeatsForTheGivenRounds() {
        var playlist = Playlist(files: ["a", "b"])
        playlist.remainingRounds = .times(1)
        #expect(playlist.advance() && playlist.currentFile == "b")
        // A round through the playlist in which no file plays ends the repetition of the playlist.
        #expect(playlist.nextPosition == nil && !playlist.advance())
        playlist.didPlay()
        #expect(playlist.nextPosition == 0 && playlist.advance() && playlist.currentFile == "a")
        #expect(playlist.remainingRounds == .times(0))
        #expect(playlist.advance() && !playlist.advance())
        playlist.remainingRounds = .forever
        playlist.didPlay()
        #expect(playlist.advance() && playlist.currentFile == "a" && playlist.remainingRounds == .forever)
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
        #expect(playlist.currentFile == "b" && playlist.playedEntryCount == 2)
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
        #expect(playlist.currentFile == "7" && playlist.position == 0 && Set(playlist.files).count == 50)
        #expect(playlist.files != ["7"] + (0..<50).map { "\($0)" }.filter { $0 != "7" })
        playlist.clear()
        #expect(playlist.files == ["7"])
    }

    @Test func unshufflingRestoresTheOrderAndKeepsTheCurrentEntry() {
        var playlist = Playlist(files: ["d", "a", "c", "b"])
        _ = playlist.go(to: 2)
        var generator = SeededGenerator.printingSeed()
        playlist.shuffle(using: &generator, keepingCurrent: true)
        playlist.shuffle(using: &generator, keepingCurrent: true)
        playlist.load("e", appending: true)
        #expect(playlist.isShuffled && playlist.currentFile == "c" && playlist.position == 0)
        playlist.unshuffle()
        #expect(playlist.files == ["d", "a", "c", "b", "e"] && playlist.currentFile == "c" && !playlist.isShuffled)
        playlist.shuffle(using: &generator, keepingCurrent: false)
        playlist.load("f", appending: false)
        #expect(!playlist.isShuffled)
    }

    @Test(arguments: [
        (0, 2, "bacd", 1), (0, 4, "bcda", 3), (3, 0, "dabc", 1), (2, 2, "abcd", 0), (1, 9, "acdb", 0),
        (7, 0, "abcd", 0), (1, -1, "abcd", 0),
    ])
    func movingAnEntryKeepsTheCurrentEntry(_ source: Int, _ goal: Int, _ order: String, _ position: Int) {
        var playlist = Playlist(files: ["a", "b", "c", "d"])
        playlist.move(from: source, to: goal)
        #expect(playlist.files.joined() == order)
        #expect(playlist.position == position && playlist.currentFile == "a")
    }

    @Test func removingTheCurrentEntryMakesTheNextOneCurrent() {
        var playlist = Playlist(files: ["a", "b", "c"])
        _ = playlist.go(to: 1)
        #expect(playlist.remove(at: 0) && playlist.currentFile == "b" && playlist.position == 0)
        #expect(playlist.remove(at: 0) && playlist.currentFile == "c")
        #expect(!playlist.remove(at: 1) && !playlist.remove(at: -1))
        #expect(playlist.remove(at: 0) && playlist.currentFile == nil)
    }
}
