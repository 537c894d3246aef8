import Foundation
import TestSupport
import Testing

/// Tests DASH streams by what the player program shows, and by the requests that a server receives.
@Suite("DASH")
struct DASHTests {
    private static let silentOptions = ["--vo=null", "--ao=null", "--untimed"]

    /// Plays the stream at an address to its end, and returns the checksums of all pictures, without their times.
    private func checksums(_ address: String, _ options: [String] = ["--hls-bitrate=max"]) throws -> [String] {
        let scratch = try TemporaryDirectory()
        let player = try RunningPlayer(
            files: [address], Self.silentOptions + options + ["--frame-checksums=\(scratch.file("sums"))"], nil, [:])
        #expect(try player.child.waitForExit(within: .seconds(60)).isSuccess, "\(player.child.errors.text)")
        return try scratch.text("sums").split(separator: "\n").map { line in
            line.split(separator: ",").dropFirst().joined(separator: ",")
        }
    }

    @Test("every kind of manifest shows the pictures of the same encoding in HLS")
    func picturesEqualThoseOfTheHLSStream() async throws {
        try await TestEnvironment.runExclusively {
            let server = try LinkServer(Fixtures.directory)
            let hlsChecksums = try checksums(server.address + "/streams/high-mp4.m3u8")
            #expect(hlsChecksums.count == 360)
            for name in ["number", "timeline", "list", "index"] {
                #expect(try checksums("\(server.address)/dash/\(name).mpd") == hlsChecksums, "\(name)")
            }
            // Only the chosen quality and language are fetched.
            let paths = Set(server.paths.filter { $0.hasPrefix("/dash/file-") })
            #expect(paths == ["/dash/file-0.mp4", "/dash/file-2.mp4"])
            _ = try checksums("\(server.address)/dash/index.mpd", ["--alang=de", "--hls-bitrate=min"])
            server.stop()
            #expect(server.paths.contains("/dash/file-1.mp4") && server.paths.contains("/dash/file-3.mp4"))
        }
    }

    @Test(
        "the player reports why a manifest cannot be played",
        arguments: [
            (
                #"<MPD><Period><AdaptationSet contentType='video'><ContentProtection schemeIdUri='urn:uuid:"#
                    + #"9a04f079-9840-4286-ab92-e65be0885f95'/><Representation id='v' bandwidth='1'/>"#
                    + #"</AdaptationSet></Period></MPD>"#, "DRM (PlayReady)"
            ), ("<html><body>Please sign in</body></html>", "web page"), ("<MPD><Period>", "line 1"),
        ])
    func unplayableManifestIsReportedWithTheReason(manifest: String, reason: String) async throws {
        try await TestEnvironment.runExclusively {
            let server = try LinkServer(
                try Fixtures.path("dash"), "{\"rules\": [{\"path\": \"film.mpd\", \"body\": \"\(manifest)\"}]}")
            let player = try RunningPlayer(server.address + "/film.mpd", options: Self.silentOptions)
            #expect(try !player.child.waitForExit(within: .seconds(60)).isSuccess)
            #expect(player.child.errors.text.contains(reason), "\(player.child.errors.text)")
        }
    }
}
