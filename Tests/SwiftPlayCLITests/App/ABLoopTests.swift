import Testing

@testable import SwiftPlayCLI

@Suite struct ABLoopTests {
    @Test func theKeySetsOnePointThenTheOtherThenNone() {
        var loop = ABLoop()
        loop.step(at: 5)
        #expect(loop == ABLoop(a: 5) && loop.range == nil)
        loop.step(at: 3)
        // In any order.
        #expect(loop.range?.start == 3 && loop.range?.end == 5)
        loop.step(at: 9)
        #expect(loop == ABLoop() && loop.range == nil)
        #expect(ABLoop(a: 1, b: 1).range == nil)
    }

    @Test func chaptersAreGoneThrough() {
        let starts = [0.0, 10, 20]
        #expect(ChapterPlace.index(at: -1, starts: starts) == -1 && ChapterPlace.index(at: 10, starts: starts) == 1)
        #expect(ChapterPlace.index(at: 99, starts: starts) == 2 && ChapterPlace.index(at: 1, starts: []) == -1)
        #expect(ChapterPlace.target(from: 11, by: 1, starts: starts) == 2)
        #expect(ChapterPlace.target(from: 21, by: 1, starts: starts) == nil)
        // Soon after its start to the one before, later to its own start.
        #expect(ChapterPlace.target(from: 11, by: -1, starts: starts) == 0)
        #expect(ChapterPlace.target(from: 18, by: -1, starts: starts) == 1)
        #expect(ChapterPlace.target(from: 1, by: -1, starts: starts) == 0)
    }
}
