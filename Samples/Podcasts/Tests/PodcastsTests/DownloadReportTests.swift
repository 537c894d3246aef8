import Foundation
import Testing

@testable import Podcasts

@Suite struct DownloadReportTests {
    /// Returns a library whose episodes 2, 3, 4 have these states.
    private func library(_ files: Episode.File...) throws -> Library {
        var library = try FeedSamples.library(FeedSamples.item("a"), FeedSamples.item("b"), FeedSamples.item("c"))
        for (number, file) in zip(library.episodes.map(\.number), files) {
            library.changeEpisode(number) { $0.file = file }
        }
        return library
    }

    @Test("the end of a download whose event another process has received is printed, and not waited for")
    func endsInTheLibrary() throws {
        let library = try library(.failed(reason: "status 404"), .downloaded(name: "f"), .requested)
        let numbers = library.episodes.map(\.number)
        var report = DownloadReport(waiting: [numbers[2]])
        let lines = report.handleEnds(of: numbers, in: library)
        #expect(lines == ["\(numbers[0])  failed: status 404", "\(numbers[1])  downloaded"])
        #expect(report.waiting == [numbers[2]] && report.failureCount == 1)
        // The event of a download that has ended during the comparison follows.
        #expect(report.handle(.failed(number: numbers[0], reason: "status 404")).isEmpty)
        #expect(report.handle(.downloaded(number: numbers[1])).isEmpty && report.failureCount == 1)
    }

    @Test func anEndBeforeTheComparisonHasEndedIsPrintedOnce() throws {
        let library = try library(.failed(reason: "x"))
        let number = try #require(library.episodes.first?.number)
        var report = DownloadReport(waiting: [number])
        #expect(report.handleEnds(of: [number], in: library) == ["\(number)  failed: x"])
        #expect(report.waiting.isEmpty && report.handle(.failed(number: number, reason: "x")).isEmpty)
    }

    @Test func eachTenthAndTheEndArePrinted() {
        var report = DownloadReport(waiting: [2])
        let sizes: [Int64] = [0, 5, 10, 19, 20, 100]
        var lines: [String] = []
        for size in sizes { lines += report.handle(.progress(number: 2, received: size, expected: 100)) }
        #expect(lines == ["2  0 %", "2  10 %", "2  20 %"])
        #expect(report.handle(.downloaded(number: 2)) == ["2  downloaded"] && report.waiting.isEmpty)
    }
}
