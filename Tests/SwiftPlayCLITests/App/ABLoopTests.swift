import Testing

@testable import SwiftPlayCLI

@Suite struct ABLoopTests {
    @Test func setNextPointSetsPointAThenPointBThenClearsBoth() {
        var loop = ABLoop()
        loop.setNextPoint(at: 5)
        #expect(loop == ABLoop(pointA: 5) && loop.range == nil)
        loop.setNextPoint(at: 3)
        // The repeated range starts at the earlier point, even if that point was set last.
        #expect(loop.range?.start == 3 && loop.range?.end == 5)
        loop.setNextPoint(at: 9)
        #expect(loop == ABLoop() && loop.range == nil)
        #expect(ABLoop(pointA: 1, pointB: 1).range == nil)
    }

    @Test func chapterStepsSelectTheExpectedChapter() {
        let starts = [0.0, 10, 20]
        #expect(ChapterIndex.index(at: -1, starts: starts) == -1 && ChapterIndex.index(at: 10, starts: starts) == 1)
        #expect(ChapterIndex.index(at: 99, starts: starts) == 2 && ChapterIndex.index(at: 1, starts: []) == -1)
        #expect(ChapterIndex.targetIndex(from: 11, by: 1, starts: starts) == 2)
        #expect(ChapterIndex.targetIndex(from: 21, by: 1, starts: starts) == nil)
        // Less than 5 s after a chapter's start, a step back leads to the previous chapter; later, it leads to the
        // start of the same chapter.
        #expect(ChapterIndex.targetIndex(from: 11, by: -1, starts: starts) == 0)
        #expect(ChapterIndex.targetIndex(from: 18, by: -1, starts: starts) == 1)
        #expect(ChapterIndex.targetIndex(from: 1, by: -1, starts: starts) == 0)
    }

    @Test("steps over many chapters end at the first chapter, and beyond the last one")
    func extremeStepsStayInTheList() {
        let starts = [0.0, 10, 20]
        for time in [-1.0, 0, 9, 15, 99] {
            #expect(ChapterIndex.targetIndex(from: time, by: .min, starts: starts) == 0, "\(time)")
            #expect(ChapterIndex.targetIndex(from: time, by: .max, starts: starts) == nil, "\(time)")
        }
        #expect(ChapterIndex.targetIndex(from: 28, by: -2, starts: starts) == 1)
        #expect(ChapterIndex.targetIndex(from: 21, by: -2, starts: starts) == 0)
        #expect(ChapterIndex.targetIndex(from: -1, by: 1, starts: starts) == 0)
        #expect(ChapterIndex.targetIndex(from: 5, by: 0, starts: starts) == 0)
        #expect(ChapterIndex.targetIndex(from: 5, by: 1, starts: []) == nil)
    }

    @Test("a time up to a millisecond before a chapter belongs to it")
    func chapterBeginsAMillisecondEarly() {
        #expect(ChapterIndex.index(at: 9.9991, starts: [0, 10]) == 1)
        #expect(ChapterIndex.index(at: 9.998, starts: [0, 10]) == 0)
        #expect(ChapterIndex.index(at: .nan, starts: [0, 10]) == -1)
    }
}
