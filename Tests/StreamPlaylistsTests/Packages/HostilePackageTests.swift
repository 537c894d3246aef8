import TestSupport
import Testing

@testable import StreamPlaylists

@Suite struct HostilePackageTests {
    @Test(arguments: [
        ("#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n1.ts", PackageError.live),
        ("#EXT-X-TARGETDURATION:4\n#EXT-X-PLAYLIST-TYPE:EVENT\n#EXTINF:4,\n1.ts", .live),
        ("#EXT-X-TARGETDURATION:4\n#EXT-X-ENDLIST", .empty),
        ("#EXT-X-TARGETDURATION:4\n#EXT-X-GAP\n#EXTINF:4,\n1.ts\n#EXT-X-ENDLIST", .empty),
        (
            "#EXT-X-TARGETDURATION:4\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"\n#EXTINF:4,\n1.ts\n#EXT-X-ENDLIST",
            .protected
        ),
        (
            "#EXT-X-TARGETDURATION:4\n#EXT-X-KEY:METHOD=AES-128,KEYFORMAT=\"com.apple.streamingkeydelivery\","
                + "URI=\"skd://k\"\n#EXTINF:4,\n1.ts\n#EXT-X-ENDLIST",
            .protected
        ),
        (
            "#EXT-X-TARGETDURATION:4\n#EXT-X-KEY:METHOD=AES-128,URI=\"data:,k\"\n#EXTINF:4,\n1.ts\n#EXT-X-ENDLIST",
            .embeddedData
        ),
        (
            "#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nfile:///etc/passwd\n#EXT-X-ENDLIST",
            .playlist(PlaylistError(.refusedScheme("file"), line: 4))
        ),
        ("plain text", .playlist(PlaylistError(.notHLS))),
    ])
    func unusableStreamsAreRefusedWithTheReason(_ lines: String, _ error: PackageError) {
        #expect(PackageSamples.error(lines) == error)
    }

    @Test func everyReasonHasAText() {
        let errors: [PackageError] = [
            .playlist(PlaylistError(.notHLS)), .live, .protected, .embeddedData, .nested, .empty,
            .tooManyResources(limit: 1), .addressesTooLong(limit: 1),
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
    }

    @Test func aWebPageIsRefused() {
        let page = Array("<!doctype html><title>Sign in</title>".utf8)
        #expect(throws: PackageError.playlist(PlaylistError(.webPage, line: 1))) {
            try PackagePlan(streamAt: PackageSamples.address, page, PackagePreferences())
        }
    }

    @Test func aPlaylistOfVariantsIsNoPlaylistOfSegments() {
        #expect(throws: PackageError.nested) {
            try PackagePlan(
                segmentsAt: PackageSamples.address, Array("#EXTM3U\n\(PackageSamples.film)".utf8), prefix: "v",
                isMain: true)
        }
    }

    @Test func tooManySegmentsAreRefusedEarly() {
        var limits = PackagePlan.Limits()
        limits.resources = 3
        let lines = (0..<4).map { "#EXTINF:1,\n\($0).ts\n" }.joined()
        #expect(
            PackageSamples.error("#EXT-X-TARGETDURATION:1\n\(lines)#EXT-X-ENDLIST", limits: limits)
                == .tooManyResources(limit: 3))
        limits.playlist.segments = 2
        #expect(
            PackageSamples.error("#EXT-X-TARGETDURATION:1\n\(lines)#EXT-X-ENDLIST", limits: limits)
                == .playlist(PlaylistError(.tooManySegments(limit: 2), line: 8)))
    }

    @Test func longAddressesAreRefused() {
        var limits = PackagePlan.Limits()
        limits.addressBytes = 60
        let lines = "#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n1.ts\n#EXTINF:1,\n\(String(repeating: "a", count: 40))\n"
        #expect(PackageSamples.error(lines + "#EXT-X-ENDLIST", limits: limits) == .addressesTooLong(limit: 60))
    }

    @Test("an address that inherits its scheme fits into a message between the processes")
    func theInheritedSchemeCountsForTheLimitOfAnAddress() {
        let address = "//a.example/" + String(repeating: "a", count: 8192 - 12)
        #expect(
            PackageSamples.error("#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(address)\n#EXT-X-ENDLIST")
                == .playlist(PlaylistError(.addressTooLong(limit: 8192), line: 4)))
    }

    @Test func aPlaylistOfEightMegabytesIsTheLargest() {
        let bytes = Array("#EXTM3U\n".utf8) + [UInt8](repeating: 10, count: 8 << 20)
        #expect(throws: PackageError.playlist(PlaylistError(.tooLarge(limit: 8 << 20)))) {
            try PackagePlan(streamAt: PackageSamples.address, bytes, PackagePreferences())
        }
    }

    @Test(arguments: ["9223372036854775807@1", "18446744073709551616@0", "-1@0", "5@-1", "0@0"])
    func absurdByteRangesAreRefused(_ range: String) {
        let lines = "#EXT-X-TARGETDURATION:1\n#EXT-X-BYTERANGE:\(range)\n#EXTINF:1,\n1.ts\n#EXT-X-ENDLIST"
        guard case .playlist = PackageSamples.error(lines) else {
            Issue.record("accepted")
            return
        }
    }

    /// Pieces that the random playlists consist of.
    private static let pieces = [
        "#EXT-X-TARGETDURATION:4", "#EXTINF:4,", "#EXTINF:0.000000001,", "1.ts", "../../../x", "a\"b,c", "//b/c.m4s",
        "#EXT-X-ENDLIST", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", "#EXT-X-KEY:METHOD=NONE", "#EXT-X-GAP",
        "#EXT-X-MAP:URI=\"i.mp4\"", "#EXT-X-BYTERANGE:5@0", "#EXT-X-DISCONTINUITY",
        "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"",
        "{$a}.ts", "#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\"", "#EXT-X-PLAYLIST-TYPE:VOD", "é\u{0}\u{202E}.ts",
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"n\",URI=\"../a\"", "#EXT-X-MEDIA-SEQUENCE:4611686018427387903",
    ]

    @Test func randomPlaylistsGiveSafeNamesAndReadablePlaylists() throws {
        var random = SeededGenerator.printingSeed()
        var accepted = 0
        for _ in 0..<2000 {
            let count = Int.random(in: 1...14, using: &random)
            let lines = (0..<count).compactMap { _ in Self.pieces.randomElement(using: &random) }
            guard let plan = try? PackageSamples.plan(lines.joined(separator: "\n")) else { continue }
            accepted += 1
            let names = plan.resources.map(\.name)
            #expect(Set(names).count == names.count)
            for name in names {
                #expect(
                    name.utf8.allSatisfy {
                        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E
                    })
                #expect(name.first?.isLetter == true && !name.contains(".."))
            }
            #expect(plan.resources.allSatisfy { $0.address.hasPrefix("https://") && $0.start >= 0 && $0.duration >= 0 })
            let local = try HLSPlaylist(Array(plan.text.utf8), address: "file:///p/master.m3u8")
            if case .media(let playlist) = local {
                let known = Set(names)
                for segment in playlist.segments where !segment.isGap {
                    #expect(known.contains(segment.address.referenceText))
                }
            }
        }
        #expect(accepted > 0)
    }
}
