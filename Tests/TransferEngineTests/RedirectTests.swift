import BackgroundProtocol
import TestSupport
import Testing
import TransferPolicy

@testable import TransferEngine

@Suite struct RedirectTests {
    /// The steps of a redirect to an address or a path.
    private static func redirect(_ status: Int = 302, to location: String) -> [FaultServer.Step] {
        [.head("HTTP/1.1 \(status) Redirect", "Location: \(location)", "Content-Length: 4"), .text("gone")]
    }

    /// The steps of a content of two bytes.
    private static let success: [FaultServer.Step] = [
        .head("HTTP/1.1 200 OK", "Content-Length: 2", "ETag: \"a\""), .text("ok"),
    ]

    /// Downloads `/0` from a server, and returns the events and the requests.
    private func download(_ script: @escaping FaultServer.Script) throws -> (TransferRecord, [FaultServer.Request]) {
        let server = try FaultServer(script)
        let engine = try EngineFixture()
        let record = try engine.run(engine.order(server.address + "/0"), try engine.makeFile())
        return (record, server.requests)
    }

    /// Redirects `/n` to `/n+1` until a number is reached.
    private static func chain(_ count: Int) -> FaultServer.Script {
        { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return number < count ? redirect(to: "/\(number + 1)") : success
        }
    }

    @Test func sixteenRedirectsAreFollowed() throws {
        let (record, requests) = try download(Self.chain(16))
        #expect(record.finishedLength == 2 && requests.count == 17)
        #expect(record.response?.address.hasSuffix("/16") == true)
    }

    @Test func seventeenRedirectsAreRefused() throws {
        let (record, requests) = try download(Self.chain(17))
        #expect(record.failure?.kind == .tooManyRedirects && requests.count == 17)
    }

    @Test func aLoopIsRefused() throws {
        let (record, requests) = try download { Self.redirect(to: $0.path == "/0" ? "/1" : "/0") }
        #expect(record.failure?.kind == .tooManyRedirects && requests.count == 2)
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/"])
    func otherSchemesAreRefused(_ location: String) throws {
        let (record, requests) = try download { _ in Self.redirect(to: location) }
        #expect(record.failure?.kind == .refusedRedirect && requests.count == 1)
    }

    @Test(arguments: ["http://", "http://[::1", "http://a b/", "//:99999999/", "data:text/plain,x"])
    func malformedTargetsAreBadResponses(_ location: String) throws {
        let (record, requests) = try download { _ in Self.redirect(to: location) }
        let kind = record.failure?.kind
        #expect(kind == .badResponse || kind == .network || kind == .invalidAddress)
        #expect(requests.count == 1)
    }

    @Test func aRedirectWithoutTargetIsABadResponse() throws {
        let (record, _) = try download { _ in [.head("HTTP/1.1 302 Found", "Content-Length: 0")] }
        #expect(record.failure?.kind == .badResponse)
    }

    @Test func aRedirectWithAnEndlessBodyIsFollowed() throws {
        let (record, _) = try download { request in
            guard request.path == "/0" else { return Self.success }
            return [
                .head("HTTP/1.1 302 Found", "Location: /1", "Transfer-Encoding: chunked"),
                .drip(Array("5\r\nhello\r\n".utf8), milliseconds: 5), .hold,
            ]
        }
        #expect(record.finishedLength == 2)
    }

    @Test func rangesAreAskedOfTheTarget() throws {
        let content = TestContent.bytes(1000)
        let server = try FaultServer { request in
            guard request.path == "/target" else { return Self.redirect(to: "/target") }
            let start = request.rangeStart ?? 0
            return [
                .head(
                    "HTTP/1.1 206 Partial Content", "Content-Length: \(1000 - start)",
                    "Content-Range: bytes \(start)-999/1000", "ETag: \"a\""),
                .bytes(Array(content[start...])),
            ]
        }
        let engine = try EngineFixture()
        let file = try engine.makeFile(Array(content.prefix(400)))
        let record = try engine.run(engine.order(server.address, held: .sample(400, total: 1000)), file)
        #expect(record.finishedLength == 1000)
        #expect(try file.content == content)
        #expect(server.requests.map { $0.fields["range"] } == ["bytes=400-", "bytes=400-"])
        #expect(server.requests.map { $0.fields["if-range"] } == ["\"a\"", "\"a\""])
    }

    /// The fields of a program, of which all but one are secret.
    private static let fields = [
        HeaderField("Authorization", "Bearer s"), HeaderField("Cookie", "s"),
        HeaderField("X-Key", "s", isSecret: true), HeaderField("X-Public", "p"),
    ]

    @Test func secretsStayAtTheirOrigin() throws {
        let target = try FaultServer { _ in Self.success }
        let location = "\(target.address)/there"
        let server = try FaultServer { _ in Self.redirect(to: location) }
        let engine = try EngineFixture()
        let record = try engine.run(
            engine.order(server.address, fields: Self.fields), try engine.makeFile())
        #expect(record.finishedLength == 2)
        let (first, second) = (server.requests[0].fields, target.requests[0].fields)
        #expect(first["authorization"] == "Bearer s" && first["cookie"] == "s" && first["x-key"] == "s")
        #expect(second["authorization"] == nil && second["cookie"] == nil && second["x-key"] == nil)
        #expect(second["x-public"] == "p")
    }

    @Test func secretsAreSentToTheSameOrigin() throws {
        let server = try FaultServer { $0.path == "/0" ? Self.redirect(to: "/1") : Self.success }
        let engine = try EngineFixture()
        _ = try engine.run(engine.order(server.address + "/0", fields: Self.fields), try engine.makeFile())
        #expect(server.requests[1].fields["authorization"] == "Bearer s")
    }

    @Test func aPermanentRedirectIsReported() throws {
        let (record, _) = try download { $0.path == "/0" ? Self.redirect(308, to: "/1") : Self.success }
        #expect(record.response?.permanentAddress?.hasSuffix("/1") == true)
    }

    @Test func aTemporaryRedirectIsNotReportedAsPermanent() throws {
        let (record, _) = try download { $0.path == "/0" ? Self.redirect(307, to: "/1") : Self.success }
        #expect(record.response?.permanentAddress == nil)
    }

    @Test(arguments: [403, 410]) func anExpiredTargetIsReachedAnewFromTheOriginal(_ status: Int) throws {
        let (record, requests) = try download { request in
            switch request.path {
            case "/0": Self.redirect(to: "/signed-\(request.number)")
            case "/signed-1": [.head("HTTP/1.1 \(status) Expired", "Content-Length: 7"), .text("expired")]
            default: Self.success
            }
        }
        #expect(record.finishedLength == 2 && record.status == 200)
        #expect(requests.map(\.path) == ["/0", "/signed-1", "/0", "/signed-3"])
    }

    @Test func aPartIsContinuedAtTheNewTarget() throws {
        let content = TestContent.bytes(1000)
        let server = try FaultServer { request in
            switch request.path {
            case "/0": Self.redirect(to: "/signed-\(request.number)")
            case "/signed-1": [.head("HTTP/1.1 403 Expired", "Content-Length: 7"), .text("expired")]
            default:
                [
                    .head(
                        "HTTP/1.1 206 Partial Content", "Content-Length: 600", "Content-Range: bytes 400-999/1000",
                        "ETag: \"a\""), .bytes(Array(content[400...])),
                ]
            }
        }
        let engine = try EngineFixture()
        let file = try engine.makeFile(Array(content.prefix(400)))
        let record = try engine.run(engine.order(server.address + "/0", held: .sample(400, total: 1000)), file)
        #expect(record.finishedLength == 1000 && record.response?.use == .rest && record.emptiedCount == 0)
        #expect(try file.content == content)
        #expect(server.requests.map(\.path) == ["/0", "/signed-1", "/0", "/signed-3"])
    }

    @Test func aTargetThatStaysForbiddenFinishesWithItsStatus() throws {
        let (record, requests) = try download { request in
            request.path == "/0"
                ? Self.redirect(to: "/1") : [.head("HTTP/1.1 403 No", "Content-Length: 2"), .text("no")]
        }
        #expect(record.status == 403 && record.finishedLength == 2 && requests.count == 4)
    }

    @Test func insecureAddressesNeedPermission() throws {
        let server = try FaultServer { _ in Self.success }
        let engine = try EngineFixture()
        var order = engine.order(server.address)
        order.request.allowsInsecureHTTP = false
        #expect(try engine.run(order, try engine.makeFile()).failure?.kind == .invalidAddress)
        #expect(server.requests.isEmpty)
    }
}
