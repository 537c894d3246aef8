import Glibc
import TestSupport
import Testing

@testable import MediaPipeline
@testable import StreamPlaylists

@Suite struct ManifestMutationTests {
    /// The number of mutated manifests; a million if the environment variable `SWIFTPLAY_LONG_TESTS` is set.
    private static let manifestCount = getenv("SWIFTPLAY_LONG_TESTS") == nil ? 3_000 : 1_000_000

    /// The manifests that the test mutates.
    private static let samples = [
        """
        <MPD type="dynamic" availabilityStartTime="2020-01-01T00:00:00Z" minimumUpdatePeriod="PT2S"
         timeShiftBufferDepth="PT1M"><UTCTiming schemeIdUri="urn:mpeg:dash:utc:direct:2014"
         value="2020-01-01T00:01:00Z"/><Period id="a" start="PT0S" duration="PT30S"><AdaptationSet contentType="video">
        <SegmentTemplate timescale="90000" media="$Time$" initialization="i" presentationTimeOffset="180000">
        <SegmentTimeline><S t="180000" d="180000" r="3"/><S d="90000" r="-1"/></SegmentTimeline></SegmentTemplate>
        <Representation id="v" bandwidth="1000" codecs="avc1.1"/></AdaptationSet></Period><Period start="PT30S">
        <AdaptationSet contentType="video"><SegmentTemplate media="$Number%05d$" duration="2" startNumber="4"/>
        <Representation id="v" bandwidth="1000" codecs="avc1.1"/></AdaptationSet></Period></MPD>
        """,
        """
        <MPD type="static" mediaPresentationDuration="PT12S"><BaseURL>b/</BaseURL><Period><AdaptationSet
         mimeType="video/mp4" width="640" height="360" frameRate="30/1"><Representation id="v" bandwidth="1000"
         codecs="avc1.1"><BaseURL>../f.mp4</BaseURL><SegmentList timescale="10" duration="60" startNumber="2">
        <Initialization range="0-9"/><SegmentURL mediaRange="10-19"/><SegmentURL media="x"/></SegmentList>
        </Representation></AdaptationSet><AdaptationSet contentType="audio" lang="en"><Representation id="a"
         bandwidth="9"><SegmentBase indexRange="20-99" timescale="7" presentationTimeOffset="3"/></Representation>
        </AdaptationSet></Period></MPD>
        """,
    ].map { Array($0.utf8) }

    /// Texts that the mutations insert into a manifest.
    private static let fragments = [
        "", "-1", "0", "9223372036854775807", "4611686018427387903", "1e30", "nan", "PT0S", "P9999Y", "P70Y", "$",
        "$Number$",
        "\"", "'", "<", ">", "/>", "<Period/>", "<S d=\"1\"/>", "r=\"-1\"", "&amp;", "&x;", "<!DOCTYPE a>", "\u{0}",
        "file:",
        "//", "../", "static", "dynamic",
    ].map { Array($0.utf8) }

    /// Returns a mutated copy of a manifest: the value of an attribute is replaced, or any part of the text is altered.
    private func mutate(_ text: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var text = text
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let fragment = Self.fragments.randomElement(using: &random) ?? []
            let start = Int.random(in: 0...text.count, using: &random)
            let end = min(text.count, start + Int.random(in: 0...12, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: text.removeSubrange(start..<end)
            case 1: text.insert(contentsOf: text[start..<end], at: Int.random(in: 0...text.count, using: &random))
            case 2: text.replaceSubrange(start..<end, with: fragment)
            default:
                guard let openingQuote = text[start...].firstIndex(of: UInt8(ascii: "\"")),
                    let closingQuote = text[(openingQuote + 1)...].firstIndex(of: UInt8(ascii: "\""))
                else { continue }
                // Skip fragments that would end the attribute value or the element, because the XML parser would refuse
                // the text.
                guard !fragment.contains(where: { "<>&\"".utf8.contains($0) || $0 == 0 }) else { continue }
                text.replaceSubrange((openingQuote + 1)..<closingQuote, with: fragment)
            }
        }
        return text
    }

    @Test("Mutated manifests are accepted or refused, and accepted ones are consistent")
    func acceptedMutatedManifestsAreConsistent() throws {
        var random = SeededGenerator.printingSeed()
        var acceptedCount = 0, window: SegmentWindow?
        for _ in 0..<Self.manifestCount {
            let bytes = mutate(Self.samples.randomElement(using: &random) ?? [], &random)
            do throws(ManifestError) {
                let presentation = try MediaPresentation(bytes, address: ManifestSamples.address)
                let tracks = try PresentationTracks(presentation, address: ManifestSamples.address)
                var builder = PresentationPlaylistBuilder(presentation)
                builder.now = [0, 45.seconds, Int64.max, -5].randomElement(using: &random)
                for track in tracks.tracks.values {
                    builder.previousSegments = Bool.random(using: &random) ? window?.segments ?? [] : []
                    let playlist = try builder.playlist(track)
                    checkConsistency(of: playlist)
                    if window == nil || playlist.segments.isEmpty { window = SegmentWindow(playlist) }
                    if window?.update(playlist) == .reset { window?.restart(with: playlist) }
                    acceptedCount += 1
                }
            } catch { #expect(!error.description.isEmpty) }
        }
        #expect(acceptedCount > Self.manifestCount / 20)
    }

    /// Checks that the window and the segments of an accepted playlist are plausible.
    private func checkConsistency(of playlist: MediaPlaylist) {
        let window = SegmentWindow(playlist), seekableRange = window.seekableRange
        #expect((seekableRange.lowerBound...seekableRange.upperBound).contains(window.initialPosition()))
        #expect(zip(playlist.segments, playlist.segments.dropFirst()).allSatisfy { $0.number + 1 == $1.number })
        for segment in playlist.segments.prefix(8) {
            #expect(segment.duration > 0)
            let scheme = URIReference(segment.address.url).scheme?.lowercased()
            #expect(scheme == "http" || scheme == "https")
        }
    }
}
