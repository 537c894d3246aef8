import Testing

@testable import SwiftPlayKit

@Suite struct NewestWinsTests {
    @Test func oneRunsAndOfThoseThatComeMeanwhileTheLastIsNext() {
        var work = NewestWins<Int>()
        #expect(work.want(1) == 1)
        for value in 2...9 { #expect(work.want(value) == nil) }
        #expect(work.finish() == 9)
        #expect(work.finish() == nil && work.running == nil)
        #expect(work.want(3) == 3)
    }

    @Test func whatRunsIsNotDoneAgain() {
        var work = NewestWins<Int>()
        _ = work.want(1)
        _ = work.want(2)
        #expect(work.want(1) == nil)
        #expect(work.finish() == nil)
    }

    @Test func whatIsForgottenIsNotBegun() {
        var work = NewestWins<Int>()
        _ = work.want(1)
        _ = work.want(2)
        work.forget()
        #expect(work.running == 1 && work.finish() == nil)
    }
}
