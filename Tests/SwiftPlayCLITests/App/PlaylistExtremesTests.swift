import TestSupport
import Testing

@testable import SwiftPlayCLI

@Suite struct PlaylistExtremesTests {
    @Test func anEmptyListHasNothing() {
        var list = Playlist(files: [])
        #expect(list.current == nil && list.following == nil && list.isLast && list.entriesPlayed == 0)
        list.notePlayed()
        let moves = [list.advance(), list.goBack(), list.go(to: 0)]
        #expect(moves == [false, false, false] && list.entriesPlayed == 0)
    }

    @Test func anEmptyListThatLoopsEndsAllTheSame() {
        var list = Playlist(files: [])
        list.rounds = .forever
        list.notePlayed()
        #expect(list.following == nil)
    }

    @Test(arguments: [-1, 3, .max, .min]) func anEntryThatIsNotThereChangesNothing(_ index: Int) {
        var list = Playlist(files: ["a", "b", "c"])
        let moves = [list.go(to: 1), list.go(to: index)]
        #expect(moves == [true, false] && list.current == "b")
    }

    @Test func beforeTheFirstThereIsNone() {
        var list = Playlist(files: ["a", "b"])
        let isMoved = list.goBack()
        #expect(!isMoved && list.current == "a")
    }

    @Test func aRoundInWhichNothingPlaysIsTheLast() {
        var list = Playlist(files: ["a", "b"])
        list.rounds = .forever
        var moves = [list.advance(), list.advance()]
        #expect(moves == [true, false], "nothing was played")
        list.notePlayed()
        moves = [list.advance(), list.advance(), list.advance()]
        #expect(moves == [true, true, false] && list.current == "b", "nothing was played in the second round")
    }

    @Test func roundsAreCountedDown() {
        var list = Playlist(files: ["a"])
        list.rounds = .times(2)
        for _ in 0..<2 {
            list.notePlayed()
            let goesOn = list.advance()
            #expect(goesOn)
        }
        list.notePlayed()
        let goesOn = list.advance()
        #expect(!goesOn && list.rounds == .times(0) && list.played == 3)
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

    @Test func shufflingMovesWhatWasPlayedAlong() {
        var generator = SeededGenerator.printingSeed()
        var list = Playlist(files: ["a", "b", "c", "d"])
        list.notePlayed()
        _ = list.go(to: 2)
        list.shuffle(using: &generator, keepingCurrent: true)
        list.notePlayed()
        #expect(list.entriesPlayed == 2, "a and c")
    }

    @Test func clearingAnEmptyListIsNothing() {
        var list = Playlist(files: [])
        list.clear()
        #expect(list.files == [] && list.position == 0)
    }

    @Test func loadingReplacesOrAppends() {
        var list = Playlist(files: ["a", "b"])
        _ = list.go(to: 1)
        list.load("c", appending: true)
        #expect(list.files == ["a", "b", "c"] && list.current == "b" && !list.isLast)
        list.load("d", appending: false)
        #expect(list.files == ["d"] && list.current == "d" && list.isLast)
    }
}

@Suite struct ChapterPlaceTests {
    @Test func aStepBeyondAllNumbersEndsAtTheFirstOrLastChapter() {
        for time in [0, 10, 25, 99.0] {
            for (count, chapter) in [(Int.max, nil), (.max - 1, nil), (.min, 0), (.min + 1, 0)] as [(Int, Int?)] {
                #expect(ChapterPlace.target(from: time, by: count, starts: starts) == chapter)
            }
        }
    }

    private let starts = [10.0, 20, 30]

    @Test func beforeTheFirstChapterTheNextIsTheFirst() {
        #expect(ChapterPlace.target(from: 5, by: 1, starts: starts) == 0)
        #expect(ChapterPlace.target(from: 5, by: -1, starts: starts) == 0)
    }

    @Test func aMillisecondBeforeItsStartIsInTheChapter() {
        #expect(
            ChapterPlace.index(at: 19.9995, starts: starts) == 1 && ChapterPlace.index(at: 19.99, starts: starts) == 0)
    }

    @Test func goingFarBackEndsAtTheFirst() {
        #expect(ChapterPlace.target(from: 35, by: -100, starts: starts) == 0)
        #expect(ChapterPlace.target(from: 35, by: 100, starts: starts) == nil)
    }

    @Test func theThresholdDecidesWhereGoingBackLeads() {
        #expect(ChapterPlace.target(from: 20 + ChapterPlace.threshold, by: -1, starts: starts) == 0)
        #expect(ChapterPlace.target(from: 20.1 + ChapterPlace.threshold, by: -1, starts: starts) == 1)
    }

    @Test func withoutChaptersThereIsNoTarget() {
        #expect(ChapterPlace.target(from: 5, by: 1, starts: []) == nil && ChapterPlace.index(at: 5, starts: []) == -1)
    }
}
