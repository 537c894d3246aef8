import BackgroundProtocol
import TestSupport
import Testing
import TransferPolicy

@testable import TransferEngine

/// Downloads from servers that keep the rules.
@Suite struct CompleteDownloadTests {
    private let content = TestContent.bytes(300_000)

    @Test func aDownloadIsWholeAndDescribed() throws {
        let content = content
        let server = try FaultServer { _ in
            [
                .head(
                    "HTTP/1.1 200 OK", "Content-Length: 300000", "ETag: \"a\"", "Accept-Ranges: bytes",
                    "Content-Type: video/mp4", "Content-Disposition: attachment; filename=\"film.mp4\"",
                    "Set-Cookie: id=1"),
                .bytes(content),
            ]
        }
        let engine = try EngineFixture()
        let file = try engine.makeFile()
        let record = try engine.run(engine.order(server.address + "/film"), file)
        #expect(record.finishedLength == 300_000 && record.status == 200 && record.durableLength == 300_000)
        #expect(record.emptiedCount == 0, "the file was empty")
        #expect(try file.content == content)
        let response = try #require(record.response)
        #expect(response.use == .whole && response.total == 300_000 && response.isResumable)
        #expect(response.suggestedName == "film.mp4" && response.mediaType == "video/mp4")
        #expect(response.validators.entityTag == "\"a\"" && response.address == server.address + "/film")
        #expect(response.fields.contains(HeaderField("etag", "\"a\"")))
        #expect(!response.fields.contains { $0.name == "set-cookie" })
        #expect(server.requests[0].fields["accept-encoding"] == "identity")
        #expect(server.requests[0].fields["range"] == nil)
    }

    @Test func aPartIsContinued() throws {
        let content = content
        let server = try FaultServer { request in
            let start = request.rangeStart ?? 0
            return [
                .head(
                    "HTTP/1.1 206 Partial Content", "Content-Length: \(300_000 - start)", "ETag: \"a\"",
                    "Content-Range: bytes \(start)-299999/300000"),
                .bytes(Array(content[start...])),
            ]
        }
        let engine = try EngineFixture()
        let file = try engine.makeFile(Array(content.prefix(100_000)))
        let record = try engine.run(engine.order(server.address, held: .sample(100_000)), file)
        #expect(record.finishedLength == 300_000 && record.response?.use == .rest)
        #expect(record.response?.offset == 100_000 && record.emptiedCount == 0)
        #expect(try file.content == content)
        #expect(server.requests.map { $0.fields["range"] } == ["bytes=100000-"])
        #expect(server.requests[0].fields["if-range"] == "\"a\"")
    }

    @Test func bytesBehindTheHeldLengthAreDiscarded() throws {
        let content = content
        let server = try FaultServer { request in
            let start = request.rangeStart ?? 0
            return [
                .head(
                    "HTTP/1.1 206 Partial Content", "ETag: \"a\"", "Content-Length: \(300_000 - start)",
                    "Content-Range: bytes \(start)-299999/300000"),
                .bytes(Array(content[start...])),
            ]
        }
        let engine = try EngineFixture()
        // The last bytes of the file were not synchronised before a loss of power.
        let file = try engine.makeFile(Array(content.prefix(100_000)) + [UInt8](repeating: 0, count: 400_000))
        _ = try engine.run(engine.order(server.address, held: .sample(100_000)), file)
        #expect(try file.content == content)
    }

    @Test func aFileThatIsShorterThanStatedIsADiskFailure() throws {
        let server = try FaultServer { _ in [.close] }
        let engine = try EngineFixture()
        let record = try engine.run(
            engine.order(server.address, held: .sample(100_000)), try engine.makeFile([1, 2, 3]))
        #expect(record.failure?.kind == .disk)
        #expect(server.requests.isEmpty)
    }

    @Test func aCompletePartIsConfirmedWithoutABody() throws {
        let content = content
        let server = try FaultServer { _ in [.head("HTTP/1.1 304 Not Modified", "ETag: \"a\"")] }
        let engine = try EngineFixture()
        let file = try engine.makeFile(content)
        let record = try engine.run(engine.order(server.address, held: .sample(300_000)), file)
        #expect(record.finishedLength == 300_000 && record.status == 200 && record.response?.use == .nothing)
        #expect(server.requests.map(\.method) == ["HEAD"])
        #expect(server.requests[0].fields["if-none-match"] == "\"a\"")
    }

    @Test func anEmptyContentIsFinished() throws {
        let server = try FaultServer { _ in [.head("HTTP/1.1 200 OK", "Content-Length: 0")] }
        let engine = try EngineFixture()
        let record = try engine.run(engine.order(server.address), try engine.makeFile())
        #expect(record.finishedLength == 0 && record.status == 200)
    }

    @Test func aChunkedContentIsFinished() throws {
        let server = try FaultServer { _ in
            [
                .head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "ETag: \"a\""),
                .text("5\r\nhello\r\n6\r\n world\r\n0\r\nX-Trailer: 1\r\n\r\n"),
            ]
        }
        let engine = try EngineFixture()
        let file = try engine.makeFile()
        let record = try engine.run(engine.order(server.address), file)
        #expect(record.finishedLength == 11 && record.response?.isResumable == true)
        #expect(try file.content == Array("hello world".utf8))
    }

    @Test func aContentThatEndsWithTheConnectionIsNotResumable() throws {
        let server = try FaultServer { _ in
            [.head("HTTP/1.0 200 OK", "ETag: \"a\""), .text("hello"), .close]
        }
        let engine = try EngineFixture()
        let record = try engine.run(engine.order(server.address), try engine.makeFile())
        #expect(record.finishedLength == 5 && record.response?.isResumable == false)
    }

    @Test func interimResponsesAreSkipped() throws {
        let server = try FaultServer { _ in
            [
                .head("HTTP/1.1 103 Early Hints", "Link: </a>", "ETag: \"wrong\""),
                .head("HTTP/1.1 200 OK", "Content-Length: 2", "ETag: \"a\""), .text("ok"),
            ]
        }
        let engine = try EngineFixture()
        let record = try engine.run(engine.order(server.address), try engine.makeFile())
        #expect(record.finishedLength == 2 && record.response?.validators.entityTag == "\"a\"")
    }

    @Test func connectionsAreReused() throws {
        let server = try FaultServer { _ in [.head("HTTP/1.1 200 OK", "Content-Length: 2"), .text("ok")] }
        let engine = try EngineFixture()
        for _ in 0..<3 { _ = try engine.run(engine.order(server.address), try engine.makeFile()) }
        #expect(server.requests.map(\.connection) == [1, 1, 1])
    }

    @Test func severalTransfersRunAtTheSameTime() throws {
        let content = content
        let server = try FaultServer { request in
            (request.path == "/first" ? [.awaitRelease] : [])
                + [.head("HTTP/1.1 200 OK", "Content-Length: 300000"), .bytes(content)]
        }
        let engine = try EngineFixture()
        let (first, firstFile) = (engine.order(server.address + "/first"), try engine.makeFile())
        try engine.send(.start(first), [firstFile.descriptor.raw])
        for _ in 0..<5 {
            let file = try engine.makeFile()
            #expect(try engine.run(engine.order(server.address + "/other"), file).finishedLength == 300_000)
        }
        server.release()
        #expect(try engine.wait(for: first.transfer).finishedLength == 300_000)
        #expect(try firstFile.content == content)
    }

    @Test func aContentBeyondTheLimitIsRefused() throws {
        let server = try FaultServer { _ in [.head("HTTP/1.1 200 OK", "Content-Length: 300000")] }
        let engine = try EngineFixture()
        var order = engine.order(server.address)
        order.limits.contentLength = 299_999
        let record = try engine.run(order, try engine.makeFile())
        #expect(record.failure?.kind == .tooLarge && record.responses.isEmpty)
    }

    @Test func aContentOfUnknownLengthBeyondTheLimitIsRefused() throws {
        let content = content
        let server = try FaultServer { _ in [.head("HTTP/1.1 200 OK"), .bytes(content), .close] }
        let engine = try EngineFixture()
        var order = engine.order(server.address)
        order.limits.contentLength = 100_000
        let file = try engine.makeFile()
        #expect(try engine.run(order, file).failure?.kind == .tooLarge)
        #expect(try file.content.count <= 100_000)
    }

    @Test func fieldsOfTheProgramAreSentExceptThoseThatTheEngineManages() throws {
        let server = try FaultServer { _ in [.head("HTTP/1.1 200 OK", "Content-Length: 0")] }
        let engine = try EngineFixture()
        let fields = [
            HeaderField("X-A", "b"), HeaderField("Range", "bytes=5-"), HeaderField("accept-encoding", "gzip"),
            HeaderField("If-Range", "\"x\""), HeaderField("Cookie", "c=d"), HeaderField("X-Empty", ""),
            HeaderField("User-Agent", "Player"),
        ]
        _ = try engine.run(engine.order(server.address, fields: fields), try engine.makeFile())
        let sent = server.requests[0].fields
        #expect(
            sent["x-a"] == "b" && sent["cookie"] == "c=d" && sent["x-empty"] == "" && sent["user-agent"] == "Player")
        #expect(sent["range"] == nil && sent["if-range"] == nil && sent["accept-encoding"] == "identity")
    }

    @Test func valuesThatALaterRequestMustNotCarryAreNotReported() throws {
        let longTag = "\"" + String(repeating: "a", count: 2000) + "\""
        let server = try FaultServer { _ in
            [
                .head(
                    "HTTP/1.1 200 OK", "Content-Length: 0", "ETag: \(longTag)", "Content-Type: video/\u{1}x",
                    "Last-Modified: a\u{2}b")
            ]
        }
        let engine = try EngineFixture()
        let record = try engine.run(engine.order(server.address), try engine.makeFile())
        #expect(record.status == 200)
        #expect(record.response?.validators == ContentValidators() && record.response?.mediaType == nil)
    }
}
