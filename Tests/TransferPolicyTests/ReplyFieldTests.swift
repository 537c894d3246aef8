import Testing

@testable import TransferPolicy

/// Tests the parsers of header fields.
@Suite struct ReplyFieldTests {
    @Test(
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func allThreeDateFormatsAreRead(_ text: String) {
        #expect(HTTPDate.secondsSince1970(text) == 784_111_777)
    }

    @Test(
        arguments: [
            "", "yesterday", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 19945 08:49:37 GMT", "Sun, -6 Nov 1994 8:49:37 GMT",
        ])
    func invalidDatesAreRefused(_ text: String) { #expect(HTTPDate.secondsSince1970(text) == nil) }

    @Test func datesRoundTrip() {
        for seconds in stride(from: Int64(0), through: 253_402_300_799, by: 86_400 * 977 + 3_661) {
            let text = HTTPDate.text(secondsSince1970: seconds)
            #expect(text.flatMap { HTTPDate.secondsSince1970($0) } == seconds)
        }
    }

    @Test func theWeekdayOfADateIsRight() {
        #expect(HTTPDate.text(secondsSince1970: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(secondsSince1970: 0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(secondsSince1970: -1) == nil)
    }

    @Test func leapDaysExist() {
        #expect(HTTPDate.secondsSince1970("Tue, 29 Feb 2000 00:00:00 GMT") == 951_782_400)
        #expect(HTTPDate.secondsSince1970("Wed, 29 Feb 2023 00:00:00 GMT") == nil)
    }

    @Test func aContentRangeIsRead() {
        #expect(ContentRange("bytes 0-0/1") == .part(first: 0, last: 0, total: 1))
        #expect(ContentRange("Bytes 5-9/*") == .part(first: 5, last: 9, total: nil))
        #expect(ContentRange("bytes */47") == .unsatisfied(total: 47))
        #expect(ContentRange("bytes */*") == .unsatisfied(total: nil))
    }

    @Test(
        arguments: [
            "", "bytes", "bytes 0-1", "bytes 0-1/", "bytes 1-0/2", "bytes 0-2/2", "bytes -1-2/3", "bytes 0-1/-3",
            "bytes 0x1-2/3", "bytes=0-1/2", "bytes 0-1/2 x", "lines 0-1/2", "bytes 0-1/99999999999999999999",
            "bytes +0-1/2", "bytes 0-/2", "bytes 0-1-2/3", "bytes 0-1/2/3",
        ])
    func invalidContentRangesAreRefused(_ value: String) { #expect(ContentRange(value) == nil) }

    @Test(
        arguments: [("17", 17), ("0", 1), ("99999999", 86_400), ("99999999999999999999999", 86_400)]
            as [(String, UInt32)])
    func delaysInSecondsAreLimitedToADay(_ value: String, _ seconds: UInt32) {
        #expect(RetryAfter.seconds(value, responseDate: nil, now: 0) == seconds)
    }

    @Test func delaysAsDatesAreReadWithTheLocalClockIfTheServerHasNone() {
        #expect(RetryAfter.seconds(ReplyFixture.date, responseDate: nil, now: ReplyFixture.now - 5) == 5)
        #expect(RetryAfter.seconds(ReplyFixture.date, responseDate: nil, now: ReplyFixture.now + 5) == 1)
        #expect(RetryAfter.seconds(ReplyFixture.date, responseDate: nil, now: 0) == 86_400)
    }

    @Test(arguments: ["", "-5", "soon", "1.5"]) func malformedDelaysAreIgnored(_ value: String) {
        #expect(RetryAfter.seconds(value, responseDate: nil, now: 0) == nil)
    }

    @Test(
        arguments: [
            ("attachment; filename=\"a b.mp4\"", "a b.mp4"), ("attachment; filename=plain.mp4", "plain.mp4"),
            ("attachment; filename=x; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
            ("inline; FileName = \"q\\\"uote.txt\" ; size=1", "q\"uote.txt"),
            ("attachment; filename=\"../../etc/passwd\"", "../../etc/passwd"),
            ("attachment; filename=fallback; filename*=ISO-8859-1''x", "fallback"),
            ("attachment; filename=fallback; filename*=UTF-8''%zz", "fallback"),
        ])
    func suggestedNamesAreRead(_ value: String, _ name: String) {
        #expect(ContentDisposition.fileName(value) == name)
    }

    @Test(
        arguments: [
            "", "attachment", "attachment;", "attachment; filename", "attachment; filename=", "attachment; name=x",
            "attachment; filename=\"" + String(repeating: "x", count: 1025) + "\"",
        ])
    func absentNamesGiveNone(_ value: String) { #expect(ContentDisposition.fileName(value) == nil) }

    @Test func fieldNamesIgnoreCase() {
        #expect(ReplyFixture.head(200, ["CONTENT-LENGTH": "5"]).bodyLength == 5)
    }

    @Test func aChunkedBodyHasNoLength() {
        let head = ReplyFixture.head(200, ["Content-Length": "5", "Transfer-Encoding": "chunked"])
        #expect(head.bodyLength == nil && !head.endsWithConnection)
    }

    @Test func aBodyWithoutLengthEndsWithTheConnection() {
        #expect(ReplyFixture.head(200).endsWithConnection)
    }

    @Test(arguments: [204, 304]) func aResponseWithoutABodyLeavesTheConnectionOpen(_ status: Int) {
        #expect(!ReplyFixture.head(status).endsWithConnection)
    }

    @Test(arguments: ["-5", "5x", "0x5", ""]) func malformedLengthsAreIgnored(_ value: String) {
        #expect(ReplyFixture.head(200, ["Content-Length": value]).bodyLength == nil)
    }

    @Test func mediaTypesLoseTheirParameters() {
        #expect(ReplyFixture.head(200, ["Content-Type": "Video/MP4 ; codecs=x"]).mediaType == "video/mp4")
    }
}
