import TestSupport
import Testing

@testable import SwiftPlayCLI

@Suite struct PlaylistExtremesTests {
    @Test func navigationInAnEmptyPlaylistFails() {
        var playlist = Playlist(files: [])
        #expect(playlist.currentFile == nil && playlist.nextPosition == nil && playlist.playedEntryCount == 0)
        playlist.didPlay()
        let results = [playlist.advance(), playlist.goBack(), playlist.go(to: 0)]
        #expect(results == [false, false, false] && playlist.playedEntryCount == 0)
    }

    @Test func anEmptyPlaylistDoesNotLoop() {
        var playlist = Playlist(files: [])
        playlist.remainingRounds = .forever
        playlist.didPlay()
        #expect(playlist.nextPosition == nil)
    }

    @Test(arguments: [-1, 3, .max, .min]) func goingToAMissingEntryFails(_ index: Int) {
        var playlist = Playlist(files: ["a", "b", "c"])
        let results = [playlist.go(to: 1), playlist.go(to: index)]
        #expect(results == [true, false] && playlist.currentFile == "b")
    }

    @Test func goingBackFromTheFirstEntryFails() {
        var playlist = Playlist(files: ["a", "b"])
        let hasMoved = playlist.goBack()
        #expect(!hasMoved && playlist.currentFile == "a")
    }

    @Test func loopingStopsAfterARoundWithoutPlayback() {
        var playlist = Playlist(files: ["a", "b"])
        playlist.remainingRounds = .forever
        var results = [playlist.advance(), playlist.advance()]
        #expect(results == [true, false], "no entry was played")
        playlist.didPlay()
        results = [playlist.advance(), playlist.advance(), playlist.advance()]
        #expect(
            results == [true, true, false] && playlist.currentFile == "b", "no entry was played in the second round")
    }

    @Test func remainingPlaylistRoundsAreCountedDown() {
        var playlist = Playlist(files: ["a"])
        playlist.remainingRounds = .times(2)
        for _ in 0..<2 {
            playlist.didPlay()
            let hasAdvanced = playlist.advance()
            #expect(hasAdvanced)
        }
        playlist.didPlay()
        let hasAdvanced = playlist.advance()
        #expect(!hasAdvanced && playlist.remainingRounds == .times(0) && playlist.playedCount == 3)
    }

    @Test func shufflingKeepsEveryEntry() {
        var generator = SeededGenerator.printingSeed()
        let files = (0..<50).map { "\($0 % 40)" }
        for keepsCurrent in [true, false] {
            var playlist = Playlist(files: files)
            _ = playlist.go(to: 30)
            playlist.shuffle(using: &generator, keepingCurrent: keepsCurrent)
            #expect(playlist.files.sorted() == files.sorted())
            if keepsCurrent { #expect(playlist.position == 0 && playlist.currentFile == "30") }
        }
    }

    @Test func shufflingKeepsTheRecordOfPlayedEntries() {
        var generator = SeededGenerator.printingSeed()
        var playlist = Playlist(files: ["a", "b", "c", "d"])
        playlist.didPlay()
        _ = playlist.go(to: 2)
        playlist.shuffle(using: &generator, keepingCurrent: true)
        playlist.didPlay()
        #expect(playlist.playedEntryCount == 2, "a and c were played")
    }

    @Test func clearingAnEmptyListHasNoEffect() {
        var playlist = Playlist(files: [])
        playlist.clear()
        #expect(playlist.files == [] && playlist.position == 0)
    }

    @Test func loadingReplacesOrAppends() {
        var playlist = Playlist(files: ["a", "b"])
        _ = playlist.go(to: 1)
        playlist.load("c", appending: true)
        #expect(playlist.files == ["a", "b", "c"] && playlist.currentFile == "b")
        playlist.load("d", appending: false)
        #expect(playlist.files == ["d"] && playlist.currentFile == "d")
    }
}

@Suite struct ChapterIndexTests {
    @Test func aHugeStepBackSelectsTheFirstChapterAndAHugeStepForwardHasNoTarget() {
        for time in [0, 10, 25, 99.0] {
            for (step, chapter) in [(Int.max, nil), (.max - 1, nil), (.min, 0), (.min + 1, 0)] as [(Int, Int?)] {
                #expect(ChapterIndex.targetIndex(from: time, by: step, starts: starts) == chapter)
            }
        }
    }

    /// The start times of the chapters, in seconds.
    private let starts = [10.0, 20, 30]

    @Test func aStepFromBeforeTheFirstChapterSelectsTheFirstChapter() {
        #expect(ChapterIndex.targetIndex(from: 5, by: 1, starts: starts) == 0)
        #expect(ChapterIndex.targetIndex(from: 5, by: -1, starts: starts) == 0)
    }

    @Test func aChapterIncludesTheMillisecondBeforeItsStart() {
        #expect(
            ChapterIndex.index(at: 19.9995, starts: starts) == 1 && ChapterIndex.index(at: 19.99, starts: starts) == 0)
    }

    @Test func stepsBeyondTheChapterListSelectTheFirstChapterOrHaveNoTarget() {
        #expect(ChapterIndex.targetIndex(from: 35, by: -100, starts: starts) == 0)
        #expect(ChapterIndex.targetIndex(from: 35, by: 100, starts: starts) == nil)
    }

    @Test func aStepBackAfterTheThresholdRestartsTheChapter() {
        #expect(ChapterIndex.targetIndex(from: 20 + ChapterIndex.restartThresholdSeconds, by: -1, starts: starts) == 0)
        #expect(
            ChapterIndex.targetIndex(from: 20.1 + ChapterIndex.restartThresholdSeconds, by: -1, starts: starts) == 1)
    }

    @Test func withoutChaptersThereIsNoTarget() {
        #expect(
            ChapterIndex.targetIndex(from: 5, by: 1, starts: []) == nil && ChapterIndex.index(at: 5, starts: []) == -1)
    }
}
