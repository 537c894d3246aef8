import TestSupport
import Testing

@testable import TransferPolicy

/// Judges random responses: no response crashes the judge or leads to a wrong write.
@Suite struct ReplyFuzzTests {
    /// The pieces from which the values of header fields are composed.
    private static let pieces = [
        "bytes", " ", "=", "-", "/", "*", "0", "400", "999", "1000", "9223372036854775807", "99999999999999999999",
        "\"a\"", "W/", "Sun, 06 Nov 1994 08:49:37 GMT", "Nov", "GMT", ":", ";", "text/html", "multipart/", "gzip",
        "identity", "chunked", "filename", "*=", "UTF-8''", "%", "%C3", "ä", "\0", "", ",",
    ]
    private static let names = [
        "content-range", "content-length", "content-type", "content-encoding", "transfer-encoding", "etag",
        "last-modified", "date", "retry-after", "accept-ranges", "location", "content-disposition",
    ]
    private static let statuses = [200, 206, 304, 403, 404, 412, 416, 429, 503, 511, 0, -1, 999, .max]

    /// Returns a random value of a header field.
    private func value(_ generator: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...6, using: &generator)).map { _ in
            Self.pieces.randomElement(using: &generator) ?? ""
        }.joined()
    }

    @Test func randomResponsesNeverLeadToAWrongWrite() {
        var generator = SeededGenerator.printingSeed()
        let helds = [ReplyFixture.tagged, ReplyFixture.dated, ReplyFixture.weak, HeldContent(), HeldContent(length: 9)]
        for _ in 0..<4000 {
            let held = helds.randomElement(using: &generator) ?? HeldContent()
            var judge = ReplyJudge(held: held, isGetRequest: Bool.random(using: &generator))
            for _ in 0..<ReplyJudge.requestLimit {
                let request = judge.request
                let fields = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                    ReplyHead.Field(Self.names.randomElement(using: &generator) ?? "", value(&generator))
                }
                let head = ReplyHead(status: Self.statuses.randomElement(using: &generator) ?? 0, fields: fields)
                _ = head["content-disposition"].flatMap { ContentDisposition.fileName($0) }
                let verdict = judge.judge(head)
                if let plan = verdict.plan {
                    #expect((200..<600).contains(head.status))
                    #expect(plan.use != .rest || (head.status == 206 && request.isPartial))
                    #expect(plan.use != .rest || plan.offset == held.length)
                    #expect(plan.use != .whole || held.length == 0)
                    #expect(plan.use != .errorPageInPart || held.length == 0)
                }
                guard verdict == .askAgain else { break }
            }
        }
    }

    @Test func randomValuesDoNotCrashTheParsers() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<20_000 {
            let text = value(&generator)
            _ = HTTPDate.secondsSince1970(text)
            _ = ContentRange(text)
            _ = ContentDisposition.fileName(text)
            if let seconds = RetryAfter.seconds(text, responseDate: value(&generator), now: .max / 2) {
                #expect((1...86_400).contains(seconds))
            }
        }
    }
}
