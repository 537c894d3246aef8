import BackgroundProtocol
import TestSupport
import Testing
import TransferPolicy

@testable import TransferEngine

/// Downloads over TLS.
@Suite struct TLSTests {
    private static let content = TestContent.bytes(200_000)

    /// Downloads the file of a server whose certificate the order trusts.
    private func download(
        _ server: TLSServer, _ engine: EngineFixture, held: HeldContent = HeldContent(), _ file: TestFile
    ) throws -> TransferRecord {
        var order = engine.order(server.address + "content", held: held)
        order.request.allowsInsecureHTTP = false
        order.descriptors = [.part, .trustedRoots]
        return try engine.run(order, descriptors: [file.descriptor, try server.certificate()])
    }

    @Test func aTrustedCertificateIsAccepted() throws {
        let (server, engine) = (try TLSServer(Self.content), try EngineFixture())
        let file = try engine.makeFile()
        #expect(try download(server, engine, file).finishedLength == 200_000)
        #expect(try file.content == Self.content)
    }

    @Test func anUnknownCertificateIsRefused() throws {
        let (server, engine) = (try TLSServer(Self.content), try EngineFixture())
        let record = try engine.run(engine.order(server.address), try engine.makeFile())
        #expect(record.failure?.kind == .certificate)
        #expect(record.failure?.message.contains("self-signed") == true)
        #expect(server.requests.isEmpty)
    }

    @Test func aCertificateForAnotherHostIsRefused() throws {
        let (server, engine) = (try TLSServer(Self.content), try EngineFixture())
        let address = server.address.replacing("127.0.0.1", with: "localhost")
        var order = engine.order(address)
        order.descriptors = [.part, .trustedRoots]
        let descriptors = [try engine.makeFile().descriptor, try server.certificate()]
        let failure = try engine.run(order, descriptors: descriptors).failure
        #expect(failure?.kind == .certificate && failure?.message.contains("another host name") == true)
    }

    @Test func aCutConnectionIsANetworkFailureAndContinued() throws {
        let server = try TLSServer(Self.content, ", \"rules\": [{\"path\": \".\", \"cut\": 60000, \"times\": 1}]")
        let engine = try EngineFixture()
        let file = try engine.makeFile()
        let first = try download(server, engine, file)
        let failure = try #require(first.failure)
        #expect(failure.kind == .network)
        let held = HeldContent(
            length: failure.durableLength, total: first.response?.total,
            validators: first.response?.validators ?? ContentValidators())
        #expect(try download(server, engine, held: held, file).finishedLength == 200_000)
        #expect(try file.content == Self.content)
    }

    @Test("a content without a length is complete only after the alert close_notify, which a cut connection lacks")
    func aContentThatEndsWithTheConnectionNeedsTheEndOfTLS() throws {
        let rules = """
            , "rules": [{"path": ".", "unbounded": true, "cut": 60000, "abrupt": true, "times": 1},
            {"path": ".", "unbounded": true}]
            """
        let (server, engine) = (try TLSServer(Self.content, rules), try EngineFixture())
        let file = try engine.makeFile()
        let first = try download(server, engine, file)
        #expect(first.failure?.kind == .network && first.failure?.message.contains("close_notify") == true)
        #expect(first.response?.isResumable == false)
        let second = try download(server, engine, held: HeldContent(length: 60_000), file)
        #expect(second.finishedLength == 200_000 && second.response?.use == .restart)
        #expect(try file.content == Self.content)
    }

    @Test("a content whose length is known is complete without the alert close_notify")
    func aContentOfKnownLengthNeedsNoEndOfTLS() throws {
        let server = try TLSServer(Self.content, ", \"rules\": [{\"path\": \".\", \"abrupt\": true}]")
        let engine = try EngineFixture()
        #expect(try download(server, engine, engine.makeFile()).finishedLength == 200_000)
    }

    @Test func aRedirectWithoutTLSIsRefused() throws {
        let target = try FaultServer { _ in [.head("HTTP/1.1 200 OK", "Content-Length: 0")] }
        let rules = ", \"rules\": [{\"path\": \".\", \"redirect\": \"\(target.address)/\"}]"
        let (server, engine) = (try TLSServer(Self.content, rules), try EngineFixture())
        let record = try download(server, engine, engine.makeFile())
        #expect(record.failure?.kind == .refusedRedirect && target.requests.isEmpty)
    }

    @Test func anEmptyFileOfCertificatesIsAnError() throws {
        let engine = try EngineFixture()
        var order = engine.order("https://127.0.0.1:1/")
        order.descriptors = [.part, .trustedRoots]
        let descriptors = [try engine.makeFile().descriptor, try engine.makeFile().descriptor]
        #expect(try engine.run(order, descriptors: descriptors).failure?.kind == .engine)
    }
}
