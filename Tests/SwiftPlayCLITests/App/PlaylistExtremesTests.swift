import TestSupport
import Testing

@testable import SwiftPlayCLI

@Suite struct PlaylistExtremesTests {
    @Test func movingInAnEmptyPlaylistFails() {
        var list = Playlist(files: [])
        #expect(list.current == nil && list.nextPosition == nil && list.playedEntryCount == 0)
        list.didPlay()
        let moves = [list.advance(), list.goBack(), list.go(to: 0)]
        #expect(moves == [false, false, false] && list.playedEntryCount == 0)
    }

    @Test func anEmptyPlaylistDoesNotLoop() {
        var list = Playlist(files: [])
        list.remainingRounds = .forever
        list.didPlay()
        #expect(list.nextPosition == nil)
    }

    @Test(arguments: [-1, 3, .max, .min]) func goingToAMissingEntryFails(_ index: Int) {
        var list = Playlist(files: ["a", "b", "c"])
        let moves = [list.go(to: 1), list.go(to: index)]
        #expect(moves == [true, false] && list.current == "b")
    }

    @Test func goingBackFromTheFirstEntryFails() {
        var list = Playlist(files: ["a", "b"])
        let isMoved = list.goBack()
        #expect(!isMoved && list.current == "a")
    }

    @Test func loopingStopsAfterARoundWithoutPlayback() {
        var list = Playlist(files: ["a", "b"])
        list.remainingRounds = .forever
        var moves = [list.advance(), list.advance()]
        #expect(moves == [true, false], "no entry was played")
        list.didPlay()
        moves = [list.advance(), list.advance(), list.advance()]
        #expect(moves == [true, true, false] && list.current == "b", "no entry was played in the second round")
    }

    @Test func remainingPlaylistRoundsAreCountedDown() {
        var list = Playlist(files: ["a"])
        list.remainingRounds = .times(2)
        for _ in 0..<2 {
            list.didPlay()
            let hasAdvanced = list.advance()
            #expect(hasAdvanced)
        }
        list.didPlay()
        let hasAdvanced = list.advance()
        #expect(!hasAdvanced && list.remainingRounds == .times(0) && list.playedCount == 3)
    }

    @Test func shufflingKeepsEveryEntry() {
        var generator = SeededGenerator.printingSeed()
        let files = (0..<50).map { "\($0 % 40)" }
        for keepsCurrent in [true, false] {
            var list = Playlist(files: files)
            _ = list.go(to: 30)
            list.shuffle(using: &generator, keepingCurrent: keepsCurrent)
            #expect(list.files.sorted() == files.sorted())
            if keepsCurrent { #expect(list.position == 0 && list.current == "30") }
        }
    }

    @Test func shufflingKeepsTheRecordOfPlayedEntries() {
        var generator = SeededGenerator.printingSeed()
        var list = Playlist(files: ["a", "b", "c", "d"])
        list.didPlay()
        _ = list.go(to: 2)
        list.shuffle(using: &generator, keepingCurrent: true)
        list.didPlay()
        #expect(list.playedEntryCount == 2, "a and c were played")
    }

    @Test func clearingAnEmptyListHasNoEffect() {
        var list = Playlist(files: [])
        list.clear()
        #expect(list.files == [] && list.position == 0)
    }

    @Test func loadingReplacesOrAppends() {
        var list = Playlist(files: ["a", "b"])
        _ = list.go(to: 1)
        list.load("c", appending: true)
        #expect(list.files == ["a", "b", "c"] && list.current == "b")
        list.load("d", appending: false)
        #expect(list.files == ["d"] && list.current == "d")
    }
}

@Suite struct ChapterIndexTests {
    @Test func aHugeStepBackLeadsToTheFirstChapterAndAHugeStepForwardHasNoTarget() {
        for time in [0, 10, 25, 99.0] {
            for (count, chapter) in [(Int.max, nil), (.max - 1, nil), (.min, 0), (.min + 1, 0)] as [(Int, Int?)] {
                #expect(ChapterIndex.targetIndex(from: time, by: count, starts: starts) == chapter)
            }
        }
    }

    /// The start times of the chapters, in seconds.
    private let starts = [10.0, 20, 30]

    @Test func aStepFromBeforeTheFirstChapterLeadsToTheFirstChapter() {
        #expect(ChapterIndex.targetIndex(from: 5, by: 1, starts: starts) == 0)
        #expect(ChapterIndex.targetIndex(from: 5, by: -1, starts: starts) == 0)
    }

    @Test func aChapterIncludesTheMillisecondBeforeItsStart() {
        #expect(
            ChapterIndex.index(at: 19.9995, starts: starts) == 1 && ChapterIndex.index(at: 19.99, starts: starts) == 0)
    }

    @Test func stepsBeyondTheListEndAtTheFirstChapterOrHaveNoTarget() {
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
