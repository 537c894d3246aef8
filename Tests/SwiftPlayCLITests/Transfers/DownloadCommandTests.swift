import Testing

@testable import SwiftPlayCLI

@Suite struct DownloadCommandTests {
    private let digest = String(repeating: "0aF9", count: 16)

    @Test func aDigestBelongsToOneFile() throws {
        let url = "https://example.org/film.mkv"
        #expect(try DownloadCommand.parse([url, "--sha256", digest]).sha256 == digest)
        for arguments in [
            [url, url, "--sha256", digest], ["https://example.org/film.m3u8", "--sha256", digest],
            [url, "--sha256", "0"], [url, "--sha256", String(digest.dropLast()) + "g"],
        ] {
            #expect(throws: (any Error).self, "\(arguments)") { try DownloadCommand.parse(arguments) }
        }
    }
}
