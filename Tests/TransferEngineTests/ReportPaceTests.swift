import Testing

@testable import TransferEngine

@Suite struct ReportPaceTests {
    private static let second: Int64 = 1_000_000_000
    private static let mebibyte: Int64 = 1 << 20

    @Test func progressIsReportedTenTimesASecond() {
        var pace = ReportPace(now: 0, length: 0)
        let reportCount = (0..<1000).count { pace.isReportDue(now: Int64($0) * Self.second / 100) }
        #expect(reportCount == 99)
    }

    @Test("bytes that arrive shortly after a report are reported after the interval, also if no more follow")
    func theLastBytesBeforeAPauseAreReported() {
        var pace = ReportPace(now: 0, length: 100)
        #expect(pace.nextReport(length: 100) == nil)
        let times = [1, ReportPace.interval].map { pace.isReportDue(now: $0) }
        #expect(times == [false, true])
        #expect(pace.nextReport(length: 101) == 2 * ReportPace.interval)
        pace.recordReport(length: 101)
        #expect(pace.nextReport(length: 101) == nil)
        pace.truncate(to: 0)
        #expect(pace.nextReport(length: 1) == 2 * ReportPace.interval)
    }

    @Test func manyBytesAreSynchronisedAfterASecond() {
        let pace = ReportPace(now: 0, length: 100)
        #expect(!pace.isSynchronizationDue(length: 100 + 8 * Self.mebibyte, now: Self.second - 1))
        #expect(!pace.isSynchronizationDue(length: 99 + 8 * Self.mebibyte, now: Self.second))
        #expect(pace.isSynchronizationDue(length: 100 + 8 * Self.mebibyte, now: Self.second))
    }

    @Test func fewBytesAreSynchronisedAfterFiveSeconds() {
        let pace = ReportPace(now: 0, length: 100)
        #expect(!pace.isSynchronizationDue(length: 101, now: 5 * Self.second - 1))
        #expect(pace.isSynchronizationDue(length: 101, now: 5 * Self.second))
        #expect(pace.nextSynchronization(length: 101) == 5 * Self.second)
    }

    @Test func withoutNewBytesNothingIsSynchronised() {
        let pace = ReportPace(now: 0, length: 100)
        #expect(!pace.isSynchronizationDue(length: 100, now: 100 * Self.second))
        #expect(pace.nextSynchronization(length: 100) == nil)
    }

    @Test func aRunningSynchronisationIsNotRepeated() {
        var pace = ReportPace(now: 0, length: 0)
        pace.startSynchronization(length: 10, now: 0)
        #expect(!pace.isSynchronizationDue(length: 9 * Self.mebibyte, now: 9 * Self.second))
        #expect(pace.nextSynchronization(length: 9 * Self.mebibyte) == nil)
        pace.isSynchronizing = false
        #expect(pace.isSynchronizationDue(length: 9 * Self.mebibyte, now: 9 * Self.second))
    }

    @Test func writebackIsDueAfterEightMebibytesSinceTheLastOneOrTheLastSynchronisation() {
        var pace = ReportPace(now: 0, length: 100)
        #expect(!pace.isWritebackDue(length: 99 + 8 * Self.mebibyte))
        #expect(pace.isWritebackDue(length: 100 + 8 * Self.mebibyte))
        pace.startWriteback(length: 100 + 8 * Self.mebibyte)
        #expect(!pace.isWritebackDue(length: 99 + 16 * Self.mebibyte))
        pace.startSynchronization(length: 10 * Self.mebibyte, now: Self.second)
        #expect(!pace.isWritebackDue(length: 18 * Self.mebibyte - 1) && pace.isWritebackDue(length: 18 * Self.mebibyte))
        pace.truncate(to: 0)
        #expect(pace.isWritebackDue(length: 8 * Self.mebibyte))
    }

    @Test func newContentAfterATruncationIsSynchronised() {
        var pace = ReportPace(now: 0, length: 1000)
        pace.truncate(to: 0)
        #expect(pace.nextSynchronization(length: 10) == 5 * Self.second)
    }
}
