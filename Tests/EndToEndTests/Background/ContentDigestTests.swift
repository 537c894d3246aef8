import Foundation
import TestSupport
import Testing

/// Downloads whose digest is known, with the real processes.
@Suite struct ContentDigestTests {
    private let fixture: BackgroundFixture

    init() throws { fixture = try BackgroundFixture() }

    /// The digest of a content, in hexadecimal.
    private func digest(of content: [UInt8]) throws -> String {
        let path = fixture.scratch.file("content")
        try Data(content).write(to: URL(fileURLWithPath: path))
        return String(try run("sha256sum", [path]).prefix { $0 != " " })
    }

    @Test("a file with the expected digest gets its name, also after a crash of all processes")
    func anExpectedFileIsKept() throws {
        let server = try ContentServer(pausesAt: 100_000)
        let options = ["--sha256", try digest(of: server.content), "--no-wait"]
        _ = try fixture.download([server.address()], options).waitForExit()
        try fixture.waitForStoredPart(bytes: 100_000)
        for name in ["swiftplay-backgroundd", "swiftplay-transfer"] { try fixture.kill(name) }
        server.release()
        try fixture.waitForListing("done")
        #expect(fixture.files == ["film.mkv"] && fixture.content("film.mkv") == server.content)
    }

    @Test("a file with another digest gets no name, is removed, and the command states the reason")
    func anotherFileIsNotKept() throws {
        let server = try ContentServer()
        let command = try fixture.download([server.address()], ["--sha256", try digest(of: [1])])
        #expect(try command.waitForExit(within: .seconds(20)).reason == .exited(3))
        #expect(command.output.text.contains("the received file does not have the expected digest"))
        let isEmpty = Deadline.poll(for: .seconds(10)) { fixture.files.isEmpty ? true : nil }
        #expect(isEmpty == true && server.requests.count == 1)
    }

    @Test func aProgramReceivesOnlyAnExpectedFile() throws {
        let server = try ContentServer(blockCount: 1)
        let wrong = try fixture.probe(["sha256=\(try digest(of: [1]))", server.address()])
        #expect(try wrong.waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.log.contains("completed 1 -1015 200"))
        let right = try fixture.probe(["sha256=\(try digest(of: server.content))", server.address()])
        #expect(try right.waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.log.filter { $0.hasPrefix("finished ") } == ["finished 2 file0 0"])
        #expect(fixture.content("2") == server.content)
    }
}
