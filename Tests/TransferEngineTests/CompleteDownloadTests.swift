import BackgroundProtocol
import TestSupport
import Testing
import TransferPolicy

@testable import TransferEngine

@Suite struct CompleteDownloadTests {
    private let content = TestContent.bytes(300_000)

    @Test func aDownloadIsWhole() throws {
        let content = content
        let server = try FaultServer { _ in
            [
                .head(
                    "HTTP/1.1 200 OK", "Content-Length: 300000", "ETag: \"a\"", "Accept-Ranges: bytes",
                    "Content-Type: video/mp4", "Content-Disposition: attachment; filename=\"film.mp4\""),
                .bytes(content),
            ]
        }
        let engine = try EngineFixture()
        let file = try engine.makeFile()
        let record = try engine.run(engine.order(server.address + "/film"), file)
        #expect(record.finishedLength == 300_000 && record.status == 200 && record.durableLength == 300_000)
        #expect(try file.content == content)
        let response = try #require(record.response)
        #expect(response.use == .whole && response.total == 300_000 && response.isResumable)
        #expect(response.suggestedName == "film.mp4" && response.mediaType == "video/mp4")
        #expect(response.validators.entityTag == "\"a\"" && response.address == server.address + "/film")
        #expect(server.requests[0].fields["accept-encoding"] == "identity")
        #expect(server.requests[0].fields["range"] == nil)
    }
}
