import Glibc
import TestSupport
import Testing

@testable import MediaPipeline
@testable import StreamPlaylists

@Suite struct PlaylistMutationTests {
    /// The number of mutated playlists; a million if the environment variable `SWIFTPLAY_LONG_TESTS` is set.
    private static let playlistCount = getenv("SWIFTPLAY_LONG_TESTS") == nil ? 3_000 : 1_000_000

    /// The playlists that the test mutates.
    private static let samples = [
        """
        #EXTM3U
        #EXT-X-DEFINE:NAME="a",VALUE="x{$b}"
        #EXT-X-TARGETDURATION:4
        #EXT-X-MEDIA-SEQUENCE:7
        #EXT-X-DISCONTINUITY-SEQUENCE:2
        #EXT-X-SERVER-CONTROL:HOLD-BACK=12.0,CAN-SKIP-UNTIL=24
        #EXT-X-SKIP:SKIPPED-SEGMENTS=1
        #EXT-X-START:TIME-OFFSET=-4.5
        #EXT-X-MAP:URI="i.mp4",BYTERANGE="9@0"
        #EXT-X-KEY:METHOD=AES-128,URI="data:,k",IV=0x12
        #EXT-X-PROGRAM-DATE-TIME:2019-06-07T12:54:23.5-04:00
        #EXTINF:4.004,
        #EXT-X-BYTERANGE:5@0
        {$a}1.m4s
        #EXT-X-DISCONTINUITY
        #EXT-X-GAP
        #EXTINF:4,
        #EXT-X-BYTERANGE:5
        {$a}1.m4s
        #EXT-X-ENDLIST
        """,
        """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="b",DEFAULT=YES,URI="../a.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=1000,RESOLUTION=640x360,FRAME-RATE=25,CODECS="avc1,mp4a",AUDIO="a"
        https://b.example/./v/../w.m3u8
        #EXT-X-SESSION-KEY:METHOD=AES-128,URI="k"
        #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=5,URI="i.m3u8"
        """,
    ].map { Array($0.utf8) }

    /// Texts that the mutations insert into a playlist.
    private static let fragments = [
        "", "-", ".", "\"", ",", "=", "@", "0", "9223372036854775807", "1e30", "nan", "{$a}", "{$", "\r", "\n", "\n#",
        "#EXTINF:", "\u{0}", "\u{FEFF}", "\u{FFFD}", "://", "../", "file:", "data:", "0x", "T", "Z", "+25:00", " ",
    ].map { Array($0.utf8) }

    /// Returns a mutated copy of a playlist: some parts of the text are removed, repeated or replaced.
    private func mutate(_ text: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var text = text
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let start = Int.random(in: 0...text.count, using: &random)
            let end = min(text.count, start + Int.random(in: 0...12, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: text.removeSubrange(start..<end)
            case 1: text.insert(contentsOf: text[start..<end], at: Int.random(in: 0...text.count, using: &random))
            case 2: text.insert(.random(in: 0...255, using: &random), at: start)
            case 3: text.removeSubrange(Int.random(in: start...text.count, using: &random)..<text.count)
            default: text.replaceSubrange(start..<end, with: Self.fragments.randomElement(using: &random) ?? [])
            }
        }
        return text
    }

    @Test("Mutated playlists are accepted or refused, and accepted ones are consistent")
    func acceptedMutatedPlaylistsAreConsistent() throws {
        var random = SeededGenerator.printingSeed()
        var window = SegmentWindow(try PlaylistSamples.livePlaylist(0, [4, 4, 4, 4, 4, 4, 4, 4, 4]))
        var acceptedCount = 0
        for _ in 0..<Self.playlistCount {
            let sample = Self.samples.randomElement(using: &random) ?? []
            let bytes = mutate(sample, &random)
            let isRefused: Bool
            do throws(PlaylistError) {
                if case .multivariant(let playlist) = try HLSPlaylist(bytes, address: PlaylistSamples.address) {
                    #expect(!playlist.variants.isEmpty)
                    for variant in playlist.variants { checkAddress(variant.address) }
                }
                isRefused = false
            } catch {
                #expect(!error.description.isEmpty)
                isRefused = true
            }
            if !isRefused { acceptedCount += 1 }
            guard
                let playlist = try? MediaPlaylist(
                    bytes, address: PlaylistSamples.address, imports: ["b": "c"], knownSegments: window.segments)
            else { continue }
            for segment in playlist.segments { checkAddress(segment.address) }
            #expect(
                zip(playlist.segments, playlist.segments.dropFirst()).allSatisfy { $0.number + 1 == $1.number })
            if window.update(playlist) == .reset { window.restart(with: playlist) }
            #expect(window.start <= window.end)
            let seekableRange = window.seekableRange
            #expect((seekableRange.lowerBound...seekableRange.upperBound).contains(window.initialPosition()))
        }
        #expect(acceptedCount > 0)
    }

    /// Checks that an address is absolute and from the network.
    private func checkAddress(_ address: PlaylistAddress) {
        let scheme = URIReference(address.url).scheme?.lowercased()
        #expect(scheme == "http" || scheme == "https")
    }
}
