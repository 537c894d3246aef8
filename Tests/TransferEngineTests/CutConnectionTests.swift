import BackgroundProtocol
import TestSupport
import Testing
import TransferPolicy

@testable import TransferEngine

/// Downloads whose connections end early.
@Suite struct CutConnectionTests {
    private static let content = TestContent.bytes(100_000)

    /// A way in which a body of 100,000 bytes is cut after 30,000.
    struct Cut: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let head: FaultServer.Step
        let body: FaultServer.Step
        let end: FaultServer.Step
        /// The number of bytes that are kept, if it is certain.
        let keptCount: Int?
    }

    private static let cuts: [Cut] = {
        let length = FaultServer.Step.head("HTTP/1.1 200 OK", "Content-Length: 100000", "ETag: \"a\"")
        let chunked = FaultServer.Step.head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "ETag: \"a\"")
        let body = FaultServer.Step.bytes(Array(content.prefix(30_000)))
        let chunk = FaultServer.Step.bytes(Array("186a0\r\n".utf8) + content.prefix(30_000))
        return [
            Cut(testDescription: "close", head: length, body: body, end: .close, keptCount: 30_000),
            Cut(testDescription: "reset", head: length, body: body, end: .reset, keptCount: nil),
            Cut(testDescription: "chunked", head: chunked, body: chunk, end: .close, keptCount: 30_000),
            Cut(
                testDescription: "HTTP/1.0",
                head: .head("HTTP/1.0 200 OK", "Content-Length: 100000", "ETag: \"a\""), body: body, end: .close,
                keptCount: 30_000),
        ]
    }()

    @Test(arguments: cuts) func aCutBodyIsKeptAndContinued(_ cut: Cut) throws {
        let content = Self.content
        let server = try FaultServer { request in
            guard let start = request.rangeStart else { return [cut.head, cut.body, cut.end] }
            return [
                .head(
                    "HTTP/1.1 206 Partial Content", "Content-Length: \(100_000 - start)", "ETag: \"a\"",
                    "Content-Range: bytes \(start)-99999/100000"),
                .bytes(Array(content[start...])),
            ]
        }
        let engine = try EngineFixture()
        let file = try engine.makeFile()
        let first = try engine.run(engine.order(server.address), file)
        let failure = try #require(first.failure)
        #expect(failure.kind == .network)
        if let keptCount = cut.keptCount { #expect(failure.durableLength == keptCount) }
        #expect(try file.content == Array(content.prefix(Int(failure.durableLength))))
        let response = try #require(first.response)
        let held = HeldContent(
            length: failure.durableLength, total: response.total, validators: response.validators)
        let second = try engine.run(engine.order(server.address, held: held), file)
        #expect(second.finishedLength == 100_000)
        #expect(try file.content == content)
    }

    @Test func aContentWithoutALengthThatIsCutRestarts() throws {
        let content = Self.content
        let server = try FaultServer { request in
            let head = FaultServer.Step.head("HTTP/1.1 200 OK", "Connection: close")
            return request.number == 1
                ? [head, .bytes(Array(content.prefix(30_000))), .reset] : [head, .bytes(content), .close]
        }
        let engine = try EngineFixture()
        let file = try engine.makeFile()
        let first = try engine.run(engine.order(server.address), file)
        let failure = try #require(first.failure)
        #expect(failure.kind == .network && first.response?.isResumable == false)
        // A reset may discard bytes that the client has not read yet.
        #expect(try file.content == Array(content.prefix(Int(failure.durableLength))))
        let held = HeldContent(length: failure.durableLength)
        let second = try engine.run(engine.order(server.address, held: held), file)
        #expect(second.finishedLength == 100_000)
        #expect(second.response?.use == (failure.durableLength > 0 ? .restart : .whole))
        #expect(try file.content == content)
        #expect(server.requests.allSatisfy { $0.fields["range"] == nil })
    }

    @Test func aChunkedPartThatEndsTooEarlyIsKeptAndNotFinished() throws {
        let content = Self.content
        let server = try FaultServer { _ in
            [
                .head(
                    "HTTP/1.1 206 Partial Content", "Transfer-Encoding: chunked", "ETag: \"a\"",
                    "Content-Range: bytes 10000-99999/100000"),
                .text("2710\r\n"), .bytes(Array(content[10_000..<20_000])), .text("\r\n0\r\n\r\n"),
            ]
        }
        let engine = try EngineFixture()
        let file = try engine.makeFile(Array(content.prefix(10_000)))
        let record = try engine.run(engine.order(server.address, held: .sample(10_000, total: 100_000)), file)
        #expect(record.failure?.kind == .network && record.failure?.durableLength == 20_000)
    }

    @Test func aConnectionThatClosesWithoutAResponseIsANetworkFailure() throws {
        let server = try FaultServer { _ in [.close] }
        let engine = try EngineFixture()
        let record = try engine.run(engine.order(server.address), try engine.makeFile())
        #expect(record.failure?.kind == .network)
    }

    @Test func aHeadThatIsCutIsANetworkFailure() throws {
        let server = try FaultServer { _ in [.text("HTTP/1.1 200 OK\r\nContent-Le"), .close] }
        let engine = try EngineFixture()
        let record = try engine.run(engine.order(server.address), try engine.makeFile())
        #expect(record.failure?.kind == .network || record.failure?.kind == .badResponse)
        #expect(record.responses.isEmpty)
    }

    @Test func aPortWithoutServerIsANetworkFailure() throws {
        let port: Int
        do {
            let server = try FaultServer { _ in [.close] }
            port = server.port
        }
        let engine = try EngineFixture()
        let record = try engine.run(engine.order("http://127.0.0.1:\(port)/"), try engine.makeFile())
        #expect(record.failure?.kind == .network)
        #expect(record.failure?.message.contains("127.0.0.1") == true)
    }
}
