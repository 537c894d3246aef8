import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct PresentationTracksTests {
    private typealias Samples = ManifestSamples

    private static let template = "<SegmentTemplate duration='2' media='$RepresentationID$-$Number$'/>"

    /// Returns an adaptation set with a representation for each bit rate. Identifiers are `prefix` and the bit rate.
    private func adaptationSet(
        _ kind: String, _ prefix: String, _ bitRates: [Int], codecs: String, attributes: String = "",
        content: String = ""
    ) -> String {
        let representations = bitRates.map {
            "<Representation id='\(prefix)\($0)' bandwidth='\($0)' codecs='\(codecs)'/>"
        }
        return "<AdaptationSet contentType='\(kind)' \(attributes)>\(content)\(Self.template)"
            + "\(representations.joined())</AdaptationSet>"
    }

    private func tracks(_ presentation: MediaPresentation) throws -> PresentationTracks {
        try PresentationTracks(presentation, address: Samples.address)
    }

    @Test func videoBecomesVariantsAndAudioBecomesRenditions() throws {
        let role = "<Role schemeIdUri='urn:mpeg:dash:role:2011' value='main'/>"
        let presentation = try Samples.presentation(
            "<Period>" + adaptationSet("video", "v", [2_000_000, 300_000], codecs: "avc1.1")
                + adaptationSet("audio", "e", [64_000, 128_000, 512_000], codecs: "mp4a.40.2", attributes: "lang='en'")
                + adaptationSet("audio", "d", [64_000], codecs: "mp4a.40.2", attributes: "lang='de'", content: role)
                + "<AdaptationSet contentType='text' mimeType='text/vtt' lang='fr'><Representation id='t' "
                + "bandwidth='1'><BaseURL>t.vtt</BaseURL></Representation></AdaptationSet></Period>")
        let presentationTracks = try tracks(presentation), playlist = presentationTracks.playlist
        #expect(playlist.variants.map(\.bandwidth) == [2_064_000, 364_000])
        #expect(playlist.variants.map(\.codecs) == [["avc1.1", "mp4a.40.2"], ["avc1.1", "mp4a.40.2"]])
        let audio = playlist.renditions(.audio, of: playlist.variants[0])
        #expect(audio.map(\.language) == ["en", "de"] && audio.map(\.isDefault) == [false, true])
        #expect(playlist.renditions(.subtitles, of: playlist.variants[1]).map(\.name) == ["fr"])
        // The best audio with at most 256 kb/s is chosen.
        #expect(presentationTracks.tracks["track-0"]?.representation.id == "e128000")
        #expect(audio[0].address?.url == "https://a.example/films/one/film.mpd?token=7#track-0")
    }

    @Test("audio with a higher bit rate than the lowest video is not chosen")
    func audioLargerThanVideoIsNotChosen() throws {
        let presentation = try Samples.presentation(
            "<Period>" + adaptationSet("video", "v", [100_000], codecs: "avc1.1")
                + adaptationSet("audio", "a", [48_000, 128_000], codecs: "mp4a.40.2") + "</Period>")
        #expect(try tracks(presentation).tracks["track-0"]?.representation.id == "a48000")
    }

    @Test("the variants contain only adaptation sets of one codec") func variantsHaveOneCodec() throws {
        let switchingProperty =
            "<SupplementalProperty schemeIdUri='urn:mpeg:dash:adaptation-set-switching:2016' value='7, 8'/>"
        let presentation = try Samples.presentation(
            "<Period>" + adaptationSet("video", "a", [1], codecs: "avc1.1", content: switchingProperty)
                + adaptationSet("video", "b", [2], codecs: "vp09.1")
                + adaptationSet("video", "c", [3], codecs: "avc3.1")
                + adaptationSet("video", "d", [4], codecs: "hvc1.1", attributes: "id='8'") + "</Period>")
        #expect(try tracks(presentation).playlist.variants.map(\.bandwidth) == [1, 3, 4])
    }

    @Test("audio without video is played in all its qualities") func audioWithoutVideoHasVariants() throws {
        let presentation = try Samples.presentation(
            "<Period>\(adaptationSet("audio", "a", [1, 2], codecs: "mp4a.40.2"))</Period>")
        let playlist = try tracks(presentation).playlist
        #expect(playlist.variants.map(\.bandwidth) == [1, 2] && playlist.renditions.isEmpty)
    }

    @Test("a track is found in periods with other qualities, and a period without it is a gap")
    func trackIsFoundInOtherPeriods() throws {
        let presentation = try Samples.presentation(
            "<Period duration='PT2S'>\(adaptationSet("video", "x", [900], codecs: "avc1.1"))</Period>"
                + "<Period duration='PT2S'>\(adaptationSet("video", "v", [500, 1000], codecs: "avc1.1"))"
                + "\(adaptationSet("audio", "e", [64], codecs: "mp4a.40.2", attributes: "lang='en'"))</Period>"
                + "<Period duration='PT2S'>\(adaptationSet("video", "v", [1000, 100], codecs: "avc1.1"))"
                + "\(adaptationSet("audio", "s", [64], codecs: "mp4a.40.2", attributes: "lang='sv'"))</Period>")
        let presentationTracks = try tracks(presentation)
        func representationIDs(_ track: String) throws -> [String?] {
            let track = try #require(presentationTracks.tracks[track])
            return presentation.periods.map { track.representation(in: $0)?.id }
        }
        // The tracks are listed from the second period, which has the most video representations.
        #expect(try representationIDs("track-0") == [nil, "e64", "s64"])
        #expect(try representationIDs("track-1") == ["x900", "v500", "v100"])
        #expect(try representationIDs("track-2") == ["x900", "v1000", "v1000"])
        let audio = try Samples.playlist(presentation).segments
        #expect(audio.map(\.isGap) == [true, false, false] && audio.map(\.duration) == [2, 2, 2].map { $0.seconds })
        #expect(audio.map(\.discontinuity) == [0, 1, 2])
    }
}
