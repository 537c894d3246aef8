import Testing

@testable import Compositor

@Suite struct MemoryQueriesTests {
    @Test("a query is answered once all programs have reported or disconnected")
    func queryWaitsForAllPrograms() {
        var queries = MemoryQueries()
        queries.add(9, programs: [1, 2, 3], now: 0)
        for program in [1, 2] as [UInt64] {
            queries.remove(program, isDisconnected: program == 2)
            #expect(!queries.hasCompleteQuery && queries.takeFinishedQueries(now: 1) == [])
        }
        queries.remove(3, isDisconnected: false)
        #expect(queries.hasCompleteQuery && queries.takeFinishedQueries(now: 1) == [9])
        #expect(queries == MemoryQueries() && queries.deadline == nil)
    }

    @Test("a program that does not answer delays a query by 300 ms at most")
    func stoppedProgramDelaysTheAnswerOnlyUntilTheTimeout() {
        var queries = MemoryQueries()
        queries.add(9, programs: [1], now: 5)
        queries.add(8, programs: [1], now: 10)
        #expect(queries.deadline == 300_000_005 && queries.takeFinishedQueries(now: 300_000_004) == [])
        #expect(
            queries.takeFinishedQueries(now: 300_000_005) == [9] && queries.takeFinishedQueries(now: 300_000_010) == [8]
        )
    }

    @Test func queryWithoutProgramsIsCompleteAtOnce() {
        var queries = MemoryQueries()
        queries.add(9, programs: [], now: 5)
        #expect(queries.hasCompleteQuery && queries.takeFinishedQueries(now: 5) == [9])
    }

    @Test func queryOfADisconnectedProgramEnds() {
        var queries = MemoryQueries()
        queries.add(9, programs: [1], now: 5)
        queries.remove(9, isDisconnected: true)
        #expect(queries == MemoryQueries())
    }
}
