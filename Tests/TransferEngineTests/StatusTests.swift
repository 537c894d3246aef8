import BackgroundProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing
import TransferPolicy

@testable import TransferEngine

/// Responses with error statuses, and responses that are not HTTP.
@Suite struct StatusTests {
    /// Downloads from a server that sends one response, and returns the events and the part file's content.
    private func download(
        held: HeldContent = HeldContent(), file content: [UInt8] = [], _ steps: [FaultServer.Step]
    ) throws -> (record: TransferRecord, content: [UInt8]) {
        let server = try FaultServer { _ in steps }
        let engine = try EngineFixture()
        let file = try engine.makeFile(content)
        let record = try engine.run(engine.order(server.address, held: held), file)
        return (record, try file.content)
    }

    @Test(arguments: [400, 404, 410, 451]) func anErrorFinishesWithItsPage(_ status: Int) throws {
        let (record, content) = try download([
            .head("HTTP/1.1 \(status) Error", "Content-Length: 9"), .text("not found"),
        ])
        #expect(record.status == status && record.finishedLength == 9 && content == Array("not found".utf8))
        #expect(record.response?.use == .errorPageInPart)
    }

    @Test func anErrorPageIsStoredBesideThePart() throws {
        let server = try FaultServer { _ in [.head("HTTP/1.1 404 No", "Content-Length: 9"), .text("not found")] }
        let engine = try EngineFixture()
        let (part, page) = (try engine.makeFile([1, 2, 3]), try engine.makeFile())
        var order = engine.order(server.address, held: .sample(3))
        order.descriptors = [.part, .errorPage]
        let record = try engine.run(order, part, page)
        #expect(record.status == 404 && record.finishedLength == 9 && record.response?.use == .errorPage)
        #expect(try page.content == Array("not found".utf8))
        #expect(try part.content == [1, 2, 3])
    }

    @Test("an error page beside the part is synchronised before its end is reported")
    func anErrorPageIsSynchronised() throws {
        let server = try FaultServer { _ in [.head("HTTP/1.1 404 No", "Content-Length: 2"), .text("51")] }
        let engine = try EngineFixture(), part = try engine.makeFile([1, 2, 3])
        // This file takes numbers, of which 51 is the default, and cannot be synchronised.
        let page = SharedDescriptor(try FileDescriptor(opening: "/proc/self/coredump_filter", flags: O_RDWR))
        var order = engine.order(server.address, held: .sample(3))
        order.descriptors = [.part, .errorPage]
        let record = try engine.run(order, descriptors: [part.descriptor, page])
        #expect(record.finishedLength == nil && record.failure?.kind == .disk && record.failure?.code == EINVAL)
        #expect(try part.content == [1, 2, 3])
    }

    @Test("an error page beside the part has a limit")
    func anErrorPageIsLimited() throws {
        let server = try FaultServer { _ in
            [.head("HTTP/1.1 404 No"), .bytes([UInt8](repeating: 60, count: Int(PartFile.errorPageLimit) + 1))]
        }
        let engine = try EngineFixture()
        let (part, page) = (try engine.makeFile([1, 2, 3]), try engine.makeFile())
        var order = engine.order(server.address, held: .sample(3))
        order.descriptors = [.part, .errorPage]
        let record = try engine.run(order, part, page)
        #expect(record.failure?.kind == .tooLarge && record.failure?.durableLength == 3)
        #expect(try page.content.count <= Int(PartFile.errorPageLimit))
        #expect(try part.content == [1, 2, 3])
    }

    @Test func anErrorPageWithoutItsFileIsDiscarded() throws {
        let (record, content) = try download(
            held: .sample(3), file: [1, 2, 3], [.head("HTTP/1.1 404 No", "Content-Length: 9"), .text("not found")])
        #expect(record.status == 404 && record.finishedLength == 0 && content == [1, 2, 3])
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504]) func aBusyServerIsRetriedWithoutItsPage(_ status: Int) throws
    {
        let (record, content) = try download(
            held: .sample(3), file: [1, 2, 3],
            [
                .head("HTTP/1.1 \(status) Busy", "Content-Length: 5000000", "Retry-After: 2"),
                .bytes([UInt8](repeating: 60, count: 5_000_000)),
            ])
        let failure = try #require(record.failure)
        #expect(failure.kind == .busy && failure.code == Int32(status) && failure.retryAfter == 2)
        #expect(failure.closesHost == (status == 429 || status == 503))
        #expect(content == [1, 2, 3] && record.responses.isEmpty)
    }

    @Test func aDateToRetryIsComparedWithTheServersClock() throws {
        let (record, _) = try download([
            .head(
                "HTTP/1.1 503 Busy", "Retry-After: Sun, 06 Nov 1994 08:50:07 GMT",
                "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Content-Length: 0")
        ])
        #expect(record.failure?.retryAfter == 30)
    }

    @Test(arguments: [401, 407]) func missingCredentialsAreReported(_ status: Int) throws {
        let (record, _) = try download([
            .head("HTTP/1.1 \(status) Who", "WWW-Authenticate: Basic realm=\"x\"", "Content-Length: 0")
        ])
        #expect(record.failure?.kind == .credentials && record.failure?.code == Int32(status))
    }

    @Test(arguments: [204, 205, 304]) func aResponseWithoutContentIsABadResponse(_ status: Int) throws {
        let (record, _) = try download([.head("HTTP/1.1 \(status) Nothing", "ETag: \"a\"")])
        #expect(record.failure?.kind == .badResponse && record.failure?.code == Int32(status))
    }

    @Test("a status that HTTP does not have ends its transfer, and the engine goes on", arguments: ["GET", "POST"])
    func aStatusOutOfRangeIsABadResponse(_ method: String) throws {
        let server = try FaultServer { request in
            [.head("HTTP/1.1 \(request.path == "/bad" ? 999 : 200) No", "Content-Length: 2"), .text("no")]
        }
        let engine = try EngineFixture()
        let record = try engine.run(engine.order(server.address + "/bad", method: method), try engine.makeFile())
        #expect(record.failure?.kind == .badResponse && record.failure?.code == 999 && record.responses.isEmpty)
        #expect(try engine.run(engine.order(server.address + "/good"), try engine.makeFile()).status == 200)
    }

    /// Responses that are not HTTP.
    private static let garbage: [String] = [
        "nonsense\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "\0\0\0\0\r\n\r\n", "HTTP/1.1 99 Low\r\nContent-Length: 0\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nContent-Length: minus\r\n\r\n",
    ]

    @Test(arguments: garbage) func garbageIsABadResponse(_ text: String) throws {
        let (record, content) = try download(held: .sample(3), file: [1, 2, 3], [.text(text), .close])
        #expect(record.failure?.kind == .badResponse || record.failure?.kind == .network)
        #expect(content == [1, 2, 3])
    }

    @Test func anEndlessHeadIsABadResponse() throws {
        let (record, _) = try download([
            .text("HTTP/1.1 200 OK\r\n"),
            .text(String(repeating: "X-Filler: " + String(repeating: "x", count: 1000) + "\r\n", count: 500)),
            .hold,
        ])
        #expect(record.failure?.kind == .badResponse)
    }

    @Test func onlyInterimResponsesAreANetworkFailure() throws {
        let (record, _) = try download([.head("HTTP/1.1 103 Early Hints"), .head("HTTP/1.1 100 Continue"), .close])
        #expect(record.failure != nil && record.responses.isEmpty)
    }

    @Test func aNetworkLoginIsAPortal() throws {
        let (record, _) = try download([.head("HTTP/1.1 511 Login", "Content-Length: 0")])
        #expect(record.failure?.kind == .portal)
    }

    @Test(arguments: ["ftp://127.0.0.1/", "file:///etc/passwd", "nonsense", "http://", "http://user:pass@127.0.0.1/"])
    func otherAddressesAreRefused(_ address: String) throws {
        let engine = try EngineFixture()
        let record = try engine.run(engine.order(address), try engine.makeFile())
        #expect(record.failure?.kind == .invalidAddress)
    }
}
