import Testing

@testable import BackgroundProtocol

@Suite struct StartReportTests {
    @Test(arguments: [StartReport.listening, .failed("the disk is full"), .failed("é")])
    func aReportRoundTrips(_ report: StartReport) { #expect(StartReport(report.bytes) == report) }

    @Test func noBytesAreNoReport() { #expect(StartReport([]) == nil) }

    @Test func aLongReasonFitsIntoOneWrite() {
        #expect(StartReport.failed(String(repeating: "é", count: 5000)).bytes.count == StartReport.byteLimit)
    }
}
