import BackgroundProtocol
import SystemCalls
import TestSupport
import Testing
import TransferPolicy

@testable import TransferEngine

/// Resumes transfers at servers that answer requests for a part in wrong or unusual ways.
@Suite struct ResumeFaultTests {
    private static let content = TestContent.bytes(200_000)
    private static let newContent = TestContent.bytes(200_000, seed: 9)
    private static let held: Int64 = 150_000

    /// The head and body of the whole content.
    private static func whole(_ content: [UInt8] = content, tag: String = "\"a\"") -> [FaultServer.Step] {
        [.head("HTTP/1.1 200 OK", "Content-Length: \(content.count)", "ETag: \(tag)"), .bytes(content)]
    }

    /// Resumes the part file at a server, and returns the events, the file's content and the server's requests.
    ///
    /// - Parameter untouched: Receives at each request whether the file has its first content. The engine has handled
    ///   the previous response then; a later response may empty the file, and would hide what was written.
    private func resume(
        held: HeldContent = .sample(held, total: 200_000), file content: [UInt8] = Array(content.prefix(Int(held))),
        untouched: Monitor<[Bool]> = Monitor([]), _ script: @escaping FaultServer.Script
    ) throws -> (record: TransferRecord, content: [UInt8], requests: [FaultServer.Request]) {
        let engine = try EngineFixture()
        let file = try engine.makeFile(content)
        let server = try FaultServer { request in
            untouched.withLock { $0.append((try? file.content) == content) }
            return script(request)
        }
        let record = try engine.run(engine.order(server.address, held: held), file)
        return (record, try file.content, server.requests)
    }

    /// The lines of heads with status 206 that break one rule each. The body of each is the new content, so that a
    /// single written byte is noticed.
    private static let wrongParts: [[String]] = [
        ["Content-Range: bytes 150001-199999/200000"], ["Content-Range: bytes 149999-199999/200000"],
        ["Content-Range: bytes 150000-199999/200001"], ["Content-Range: bytes 150000-199998/200000"],
        ["Content-Range: bytes 150000-199999/200000", "Content-Encoding: gzip"],
        ["Content-Range: bytes 150000-199999/200000", "ETag: \"b\""],
        ["Content-Range: bytes 150000-199999/200000", "Content-Type: multipart/byteranges; boundary=x"],
        ["Content-Range: bytes 150000-199999/*"], ["X-No-Content-Range: 1"], ["Content-Range: items 1-2/3"],
    ]

    @Test(arguments: wrongParts) func aWrongPartIsNeverWritten(_ lines: [String]) throws {
        let untouched = Monitor<[Bool]>([])
        let (record, content, requests) = try resume(untouched: untouched) { request in
            guard request.fields["range"] != nil else { return Self.whole() }
            return [
                .text((["HTTP/1.1 206 Partial Content", "Content-Length: 50000"] + lines).joined(separator: "\r\n")),
                .text("\r\n\r\n"), .bytes(Array(Self.newContent.prefix(50_000))),
            ]
        }
        #expect(record.finishedLength == 200_000 && record.response?.use == .restart)
        #expect(content == Self.content)
        #expect(requests.count == 3, "two wrong parts, then the whole content")
        #expect(untouched.withLock { $0 } == [true, true, true])
        #expect(requests[2].fields["range"] == nil)
        #expect(record.quirks == .sendsWrongRanges)
    }

    @Test func aPartWithMoreBytesThanItsRangeIsDiscarded() throws {
        let untouched = Monitor<[Bool]>([])
        let (record, content, requests) = try resume(untouched: untouched) { request in
            guard request.fields["range"] != nil else { return Self.whole() }
            return [
                .head(
                    "HTTP/1.1 206 Partial Content", "Transfer-Encoding: chunked", "ETag: \"a\"",
                    "Content-Range: bytes 150000-199999/200000"),
                .text("c351\r\n"), .bytes(Array(Self.newContent.prefix(50_001))), .text("\r\n0\r\n\r\n"),
            ]
        }
        #expect(record.finishedLength == 200_000 && content == Self.content && requests.count == 3)
        #expect(untouched.withLock { $0 } == [true, true, true])
    }

    @Test func changedContentReplacesThePart() throws {
        let (record, content, _) = try resume { _ in Self.whole(Self.newContent, tag: "\"b\"") }
        #expect(record.emptiedCount == 1 && record.response?.use == .changedContent)
        #expect(record.response?.validators.entityTag == "\"b\"")
        #expect(content == Self.newContent)
    }

    @Test func changedContentOfAnotherLengthReplacesThePart() throws {
        let (record, content, _) = try resume { _ in Self.whole(Array(Self.newContent.prefix(10)), tag: "\"b\"") }
        #expect(record.finishedLength == 10 && record.response?.use == .changedContent)
        #expect(content == Array(Self.newContent.prefix(10)))
    }

    @Test func changedContentThatIsCutIsKept() throws {
        let (record, content, _) = try resume { _ in
            [
                .head("HTTP/1.1 200 OK", "Content-Length: 200000", "ETag: \"b\""),
                .bytes(Array(Self.newContent.prefix(60_000))), .close,
            ]
        }
        #expect(record.failure?.kind == .network && record.failure?.durableLength == 60_000)
        #expect(content == Array(Self.newContent.prefix(60_000)))
    }

    @Test func aFailedPreconditionAsksForTheNewContent() throws {
        let (record, content, requests) = try resume { request in
            request.fields["range"] == nil
                ? Self.whole(Self.newContent, tag: "\"b\"")
                : [.head("HTTP/1.1 412 Precondition Failed", "Content-Length: 0")]
        }
        #expect(record.response?.use == .changedContent && content == Self.newContent && requests.count == 2)
    }

    /// The last bytes of the content as a valid part that begins where the request asks.
    private static func part(_ request: FaultServer.Request, tag: String?, of content: [UInt8] = content)
        -> [FaultServer.Step]
    {
        let start = request.rangeStart ?? 0
        let lines =
            [
                "HTTP/1.1 206 Partial Content", "Content-Length: \(content.count - start)",
                "Content-Range: bytes \(start)-\(content.count - 1)/\(content.count)",
            ] + (tag.map { ["ETag: \($0)"] } ?? [])
        return [.text(lines.joined(separator: "\r\n") + "\r\n\r\n"), .bytes(Array(content[start...]))]
    }

    /// The validators that do not identify the content.
    private static let weakValidators = [
        ContentValidators(entityTag: "W/\"a\""), ContentValidators(),
        ContentValidators(
            lastModified: "Sun, 06 Nov 1994 08:49:27 GMT", date: "Sun, 06 Nov 1994 08:49:37 GMT"),
    ]

    @Test(arguments: weakValidators) func withoutAStrongValidatorTheOverlapIsCompared(
        _ validators: ContentValidators
    ) throws {
        let held = HeldContent(length: Self.held, total: 200_000, validators: validators)
        let (record, content, requests) = try resume(held: held) { Self.part($0, tag: validators.entityTag) }
        #expect(record.response?.use == .rest && record.finishedLength == 200_000 && content == Self.content)
        #expect(requests.map { $0.fields["range"] } == ["bytes=\(150_000 - 65_536)-"])
        #expect(requests[0].fields["if-range"] == nil)
    }

    @Test(arguments: weakValidators) func aDifferentOverlapRestarts(_ validators: ContentValidators) throws {
        let held = HeldContent(length: Self.held, total: 200_000, validators: validators)
        let (record, content, requests) = try resume(held: held) { request in
            request.rangeStart == nil
                ? Self.whole(Self.newContent, tag: "W/\"a\"")
                : Self.part(request, tag: validators.entityTag, of: Self.newContent)
        }
        #expect(record.response?.use == .changedContent && content == Self.newContent && requests.count == 2)
    }

    @Test func aDifferenceInTheLastByteOfTheOverlapIsNoticed() throws {
        var changed = Self.content
        changed[149_999] ^= 1
        let served = changed
        let held = HeldContent(length: Self.held, total: 200_000)
        let (record, content, _) = try resume(held: held) { request in
            request.rangeStart == nil ? Self.whole(served) : Self.part(request, tag: nil, of: served)
        }
        #expect(record.response?.use == .changedContent && content == served)
    }

    @Test func withoutValidatorAndLengthTheContentRestarts() throws {
        let (record, content, requests) = try resume(held: HeldContent(length: Self.held)) { _ in Self.whole() }
        #expect(record.response?.use == .restart && content == Self.content)
        #expect(requests.map { $0.fields["range"] } == [nil])
    }

    @Test func aServerThatIgnoresIfRangeIsAskedWithoutIt() throws {
        let (record, content, requests) = try resume { request in
            request.fields["if-range"] == nil ? Self.part(request, tag: "\"a\"") : Self.whole()
        }
        #expect(record.response?.use == .rest && record.emptiedCount == 0 && content == Self.content)
        #expect(requests.count == 2 && record.quirks == .ignoresMatchingIfRange)
    }

    @Test func aServerWithoutRangesSendsTheContentAgain() throws {
        let (record, content, requests) = try resume { _ in Self.whole() }
        #expect(record.response?.use == .restart && record.response?.isResumable == false)
        #expect(record.emptiedCount == 1 && content == Self.content && requests.count == 2)
        #expect(record.quirks.contains(.hasNoRanges))
    }

    @Test func aRefusedRangeOfACompleteFileIsConfirmed() throws {
        let held = HeldContent(length: 200_000, validators: ContentValidators(entityTag: "\"a\""))
        let (record, content, requests) = try resume(held: held, file: Self.content) { request in
            request.method == "HEAD"
                ? [.head("HTTP/1.1 304 Not Modified", "ETag: \"a\"")]
                : [
                    .head(
                        "HTTP/1.1 416 Range Not Satisfiable", "Content-Range: bytes */200000", "Content-Length: 9"),
                    .text("too much!"),
                ]
        }
        #expect(record.finishedLength == 200_000 && record.response?.use == .nothing)
        #expect(content == Self.content && requests.count == 2)
    }

    /// The `Content-Range` lines of refused ranges that do not confirm the part file.
    private static let refusedRanges = ["Content-Range: bytes */100", "Content-Range: bytes */*", "X-None: 1"]

    /// The page is long or short enough to be received and discarded.
    @Test(arguments: refusedRanges, [20_000, 20])
    func anotherRefusedRangeRestarts(_ line: String, _ count: Int) throws {
        let page = String(repeating: "<html>", count: count)
        let untouched = Monitor<[Bool]>([])
        let (record, content, requests) = try resume(untouched: untouched) { request in
            request.rangeStart == nil
                ? Self.whole()
                : [
                    .head(
                        "HTTP/1.1 416 Range Not Satisfiable", line, "Content-Length: \(page.utf8.count)",
                        "Content-Type: text/html"),
                    .text(page),
                ]
        }
        #expect(record.finishedLength == 200_000 && record.response?.use == .restart)
        #expect(content == Self.content && requests.count == 2)
        #expect(untouched.withLock { $0 } == [true, true])
    }

    @Test func aPageInThePlaceOfMediaLeavesThePartUntouched() throws {
        var held = HeldContent.sample(Self.held, total: 200_000)
        held.mediaType = "video/mp4"
        let (record, content, _) = try resume(held: held) { _ in
            [
                .head("HTTP/1.1 200 OK", "Content-Type: text/html", "Content-Length: 6", "ETag: \"b\""),
                .text("log in"),
            ]
        }
        #expect(record.failure?.kind == .portal && record.failure?.durableLength == Self.held)
        #expect(content == Array(Self.content.prefix(150_000)))
    }
}

extension HeldContent {
    /// A part with the entity tag `"a"`.
    static func sample(_ length: Int64, total: Int64 = 300_000) -> HeldContent {
        HeldContent(length: length, total: total, validators: ContentValidators(entityTag: "\"a\""))
    }
}
