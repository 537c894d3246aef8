import TestSupport
import Testing

@testable import MediaPipeline
@testable import StreamPlaylists

@Suite struct MediaPresentationTests {
    private typealias Samples = ManifestSamples

    @Test func attributesOfAPresentationAreParsed() throws {
        let livePresentation = try Samples.presentation(
            """
            <Location>https://b.example/live.mpd</Location>
            <UTCTiming schemeIdUri="urn:mpeg:dash:utc:ntp:2014" value="ntp.example"/>
            <UTCTiming schemeIdUri="urn:mpeg:dash:utc:direct:2014" value="1970-01-01T00:00:07Z"/>
            <UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-head:2014" value="../time other"/>
            <Period start="PT0S">\(Samples.video(""))</Period>
            """,
            """
            type="dynamic" availabilityStartTime="1970-01-01T00:01:00Z" minimumUpdatePeriod="PT2S"
            timeShiftBufferDepth="PT1M" suggestedPresentationDelay="PT6S"
            """)
        #expect(
            livePresentation.isLive && livePresentation.availabilityStart == 60.seconds
                && livePresentation.minimumUpdatePeriod == 2.seconds)
        #expect(
            livePresentation.timeShiftBufferDepth == 60.seconds && livePresentation.suggestedDelay == 6.seconds
                && livePresentation.duration == nil)
        #expect(livePresentation.location?.url == "https://b.example/live.mpd")
        #expect(livePresentation.clockSources.count == 2 && livePresentation.clockSources.first == .direct(7.seconds))
        guard case .head(let address)? = livePresentation.clockSources.last else { throw ManifestError(.noMedia) }
        #expect(address.url == "https://a.example/films/time")
    }

    @Test("base addresses are relative to the base addresses of outer elements") func baseAddressesAreNested() throws {
        let presentation = try Samples.presentation(
            """
            <BaseURL>media/</BaseURL><Period><BaseURL>one/</BaseURL>
            <AdaptationSet contentType="video"><BaseURL>../two/</BaseURL>
            <Representation id="a" bandwidth="1"><BaseURL>x.mp4</BaseURL></Representation>
            <Representation id="b" bandwidth="2"><BaseURL>https://c.example/y.mp4</BaseURL></Representation>
            </AdaptationSet></Period>
            """)
        let representations = presentation.periods[0].sets[0].representations
        #expect(
            representations.map(\.base.text) == [
                "https://a.example/films/one/media/two/x.mp4", "https://c.example/y.mp4",
            ])
    }

    @Test("a representation inherits attributes and segments of outer elements") func attributesAreInherited() throws {
        let presentation = try Samples.presentation(
            """
            <Period><SegmentTemplate timescale="10" startNumber="7" media="p-$Number$" duration="20"/>
            <AdaptationSet mimeType="video/mp4" codecs="avc1.1" width="640" height="360" frameRate="30000/1001"
              lang="en" id="set"><Label>Best</Label><Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>
            <SegmentTemplate media="s-$Number$" presentationTimeOffset="5"/>
            <Representation id="a" bandwidth="1"><SegmentTemplate startNumber="9"/></Representation>
            <Representation id="b" bandwidth="2" codecs="hvc1.2, mp4a.40.2" width="1280" height="720">
              <SupplementalProperty schemeIdUri="urn:mpeg:mpegB:cicp:TransferCharacteristics" value="16"/>
            </Representation></AdaptationSet></Period>
            """)
        let set = presentation.periods[0].sets[0], smallRepresentation = set.representations[0],
            largeRepresentation = set.representations[1]
        #expect(set.label == "Best" && set.language == "en" && set.isMain && set.id == "set" && set.kind == .video)
        #expect(
            smallRepresentation.segments.startNumber == 9 && largeRepresentation.segments.startNumber == 7
                && smallRepresentation.segments.timeOffset == 5)
        #expect(smallRepresentation.segments.timescale == 10 && smallRepresentation.segments.duration == 20)
        #expect(smallRepresentation.segments.source == AddressTemplate("s-$Number$").map { .template($0) })
        #expect(
            smallRepresentation.video.resolution == VideoAttributes.resolution("640x360")
                && smallRepresentation.codecs == ["avc1.1"])
        #expect(
            largeRepresentation.video.resolution == VideoAttributes.resolution("1280x720")
                && largeRepresentation.codecs == ["hvc1.2", "mp4a.40.2"])
        #expect(
            largeRepresentation.video.dynamicRange == .pq && smallRepresentation.video.dynamicRange == nil
                && abs((smallRepresentation.video.frameRate ?? 0) - 29.97) < 0.01)
    }

    @Test("periods follow each other unless they state their starts") func periodsFollowEachOther() throws {
        let video = Samples.video("")
        let presentation = try Samples.presentation(
            """
            <Period id="a" duration="PT2S">\(video)</Period><Period>\(video)</Period>
            <Period start="PT5S">\(video)</Period>
            """)
        #expect(presentation.periods.map(\.start) == [0, 2.seconds, 5.seconds])
        #expect(presentation.periods.map(\.duration) == [2.seconds, 3.seconds, 7.seconds])
        #expect(presentation.periods.map(\.id) == ["a", "@2000000000", "@5000000000"])
    }

    @Test("protected representations are not played, and the error names the DRM systems")
    func protectedRepresentationsAreNotPlayed() throws {
        let widevineProtection = #"<ContentProtection schemeIdUri="urn:uuid:EDEF8BA9-79D6-4ACE-A3C8-27DCD51D21ED"/>"#
        let audio = #"<AdaptationSet contentType="audio"><Representation id="x" bandwidth="1"/></AdaptationSet>"#
        let protectedManifest = "<MPD><Period>\(Samples.video(widevineProtection))\(audio)</Period></MPD>"
        #expect(Samples.error(protectedManifest)?.reason == .protected(systems: ["Widevine"]))
        #expect(Samples.error(protectedManifest).map { MediaError($0).message.contains("DRM (Widevine)") } == true)
        let partlyProtectedPresentation = try Samples.presentation(
            "<Period>\(Samples.video(widevineProtection))\(Samples.video("", id: "b"))</Period>")
        #expect(partlyProtectedPresentation.periods[0].sets.map { $0.representations.map(\.id) } == [["b"]])
    }

    @Test("keyframes for trick play, thumbnails and representations with unknown essential properties are not played")
    func unsupportedRepresentationsAreNotPlayed() throws {
        let trickModeProperty = #"<EssentialProperty schemeIdUri="http://dashif.org/guidelines/trickmode" value="1"/>"#
        let thumbnails = #"<AdaptationSet mimeType="image/jpeg"><Representation id="i" bandwidth="1"/></AdaptationSet>"#
        let colourProperty = #"<EssentialProperty schemeIdUri="urn:mpeg:mpegB:cicp:ColourPrimaries" value="9"/>"#
        let presentation = try Samples.presentation(
            "<Period>\(thumbnails)\(Samples.video("").replacing("<Rep", with: trickModeProperty + "<Rep"))"
                + "\(Samples.video(colourProperty, id: "b"))</Period>")
        #expect(presentation.periods[0].sets.flatMap(\.representations).map(\.id) == ["b"])
    }

    @Test("an unsupported part causes a warning if another part can be played")
    func unsupportedPartCausesAWarning() throws {
        let subtitleSet = """
            <AdaptationSet contentType="text" mimeType="application/mp4" codecs="stpp">
            <Representation id="s" bandwidth="1"/></AdaptationSet>
            """
        let presentation = try Samples.presentation("<Period>\(subtitleSet)\(Samples.video(""))</Period>")
        #expect(presentation.warnings.map(\.reason) == [.unsupported("subtitles of the type stpp")])
        #expect(
            Samples.error("<MPD><Period>\(subtitleSet)</Period></MPD>")?.reason
                == .unsupported("subtitles of the type stpp"))
    }

    @Test(
        "a manifest that cannot be used is refused, and the error states the line",
        arguments: [
            ("<SmoothStreamingMedia/>", ManifestError(.notAManifest(root: "SmoothStreamingMedia"), line: 1)),
            ("<MPD>\n</MPD>", ManifestError(.missingValue(element: "MPD", name: "Period"), line: 1)),
            ("<MPD><Period/></MPD>", ManifestError(.noMedia)),
            (
                "<MPD\n type='dynamic'/>",
                ManifestError(.missingValue(element: "MPD", name: "availabilityStartTime"), line: 1)
            ),
            (
                "<MPD mediaPresentationDuration='12'/>",
                ManifestError(.invalidValue(element: "MPD", name: "mediaPresentationDuration", text: "12"), line: 1)
            ),
            (
                "<MPD><Period/>\n<Period start='PT0S'/></MPD>",
                ManifestError(.invalidValue(element: "Period", name: "start", text: "PT0S"), line: 2)
            ),
            ("<MPD>\n<BaseURL>file:///etc/</BaseURL></MPD>", ManifestError(.address(.refusedScheme("file")), line: 2)),
        ])
    func unusableManifestIsRefused(text: String, expected: ManifestError) {
        #expect(Samples.error(text) == expected)
    }

    @Test(
        "invalid segment information is refused, and the error states the line",
        arguments: [
            ("<SegmentTemplate duration='1'/>", "media"), ("<SegmentTemplate media='a'/>", "duration"),
            ("<SegmentTemplate media='$x$' duration='1'/>", "media"),
            ("<SegmentTemplate media='a' duration='0'/>", "duration"),
            ("<SegmentTemplate media='a' duration='1' timescale='0'/>", "timescale"),
            ("<SegmentTemplate media='a'><SegmentTimeline><S/></SegmentTimeline></SegmentTemplate>", "no d"),
            ("<SegmentTemplate media='a'><SegmentTimeline><S d='0'/></SegmentTimeline></SegmentTemplate>", "d of"),
            (
                "<SegmentTemplate media='a'><SegmentTimeline><S d='1' r='-2'/></SegmentTimeline></SegmentTemplate>",
                "r of"
            ),
            ("<SegmentList><SegmentURL/><SegmentURL/></SegmentList>", "duration"),
            ("<SegmentBase indexRange='9'/>", "indexRange"),
        ])
    func invalidSegmentInformationIsRefused(segments: String, expectedText: String) {
        let error = Samples.error("<MPD><Period>\n\(Samples.video(segments))</Period></MPD>")
        #expect(error?.line == 3 && error?.description.contains(expectedText) == true, "\(error as Any)")
    }
}
