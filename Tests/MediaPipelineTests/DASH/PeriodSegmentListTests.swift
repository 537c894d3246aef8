import TestSupport
import Testing

@testable import MediaPipeline
@testable import StreamPlaylists

@Suite struct PeriodSegmentListTests {
    private typealias Samples = ManifestSamples

    /// Returns the segments of a representation with the given segment element.
    private func segments(_ element: String, duration: String = "PT12S") throws -> [MediaSegment] {
        let presentation = try Samples.presentation(
            "<Period>\(Samples.video(element))</Period>",
            #"type="static" mediaPresentationDuration="\#(duration)""#)
        return try Samples.playlist(presentation).segments
    }

    /// Returns the addresses of segments relative to the address of the manifest.
    private func relativeAddresses(_ segments: [MediaSegment]) -> [String] {
        segments.map { String($0.address.url.dropFirst("https://a.example/films/one/".count)) }
    }

    @Test("a template with numbers lists segments until the end of the period")
    func numberedSegmentsAreListed() throws {
        let listedSegments = try segments(
            "<SegmentTemplate timescale='10' duration='50' startNumber='3' media='$RepresentationID$-$Number%03d$'/>")
        #expect(relativeAddresses(listedSegments) == ["v-003", "v-004", "v-005"])
        #expect(listedSegments.map(\.duration) == [5.seconds, 5.seconds, 2.seconds])
        #expect(listedSegments.map(\.number) == [0, 1, 2])
        #expect(listedSegments.map(\.mediaTime) == [0, 5.seconds, 10.seconds])
    }

    @Test("endNumber is the number of the last segment") func endNumberIsTheLastNumber() throws {
        let listedSegments = try segments("<SegmentTemplate duration='5' media='$Number$' endNumber='2'/>")
        #expect(relativeAddresses(listedSegments) == ["1", "2"])
    }

    @Test("a timeline lists times, repetitions and gaps") func timelineIsListed() throws {
        let listedSegments = try segments(
            """
            <SegmentTemplate timescale='10' presentationTimeOffset='100' media='$Time$' initialization='i'>
            <SegmentTimeline><S t='102' d='20' r='1'/><S d='10'/><S t='162' d='20' r='-1'/></SegmentTimeline>
            </SegmentTemplate>
            """)
        #expect(relativeAddresses(listedSegments) == ["102", "122", "142", "162", "182", "202"])
        // The first segment begins with the period. Each segment lasts until the next one starts, even across a gap.
        #expect(listedSegments.map(\.duration) == [2.2, 2, 2, 2, 2, 1.8].map { Int64(nanosecondsOf: $0) })
        #expect(listedSegments.first?.mediaTime == 10.seconds)
        #expect(listedSegments.last?.mediaTime == Int64(nanosecondsOf: 20.2))
        #expect(listedSegments.first?.initialization?.address.url == "https://a.example/films/one/i")
    }

    @Test("a repetition without a count (r = -1) ends at the next entry")
    func openRepetitionEndsAtTheNextEntry() throws {
        let listedSegments = try segments(
            """
            <SegmentTemplate media='$Time$'><SegmentTimeline><S d='2' r='-1'/><S t='6' d='3'/></SegmentTimeline>
            </SegmentTemplate>
            """, duration: "PT9S")
        #expect(relativeAddresses(listedSegments) == ["0", "2", "4", "6"])
    }

    @Test("a segment list states addresses and byte ranges") func segmentListIsParsed() throws {
        let listedSegments = try segments(
            """
            <SegmentList duration='6'><Initialization range='0-9'/><SegmentURL mediaRange='10-19'/>
            <SegmentURL media='b.mp4'/></SegmentList>
            """)
        #expect(relativeAddresses(listedSegments) == ["film.mpd?token=7", "b.mp4"])
        #expect(listedSegments.map(\.byteRange) == [ByteRange(offset: 10, length: 10), nil])
        #expect(listedSegments[0].initialization?.byteRange == ByteRange(offset: 0, length: 10))
    }

    @Test("a file without segment information is one segment") func fileIsOneSegment() throws {
        let listedSegments = try segments("<BaseURL>film.mp4</BaseURL>")
        #expect(relativeAddresses(listedSegments) == ["film.mp4"] && listedSegments.map(\.duration) == [12.seconds])
    }

    @Test(
        "numbers outside the supported range are refused",
        arguments: [
            "<SegmentTemplate duration='1' timescale='1000000000000' media='$Number$'/>",
            "<SegmentTemplate media='a'><SegmentTimeline><S d='1' r='300000'/></SegmentTimeline></SegmentTemplate>",
            """
            <SegmentTemplate media='a'><SegmentTimeline><S d='2000000000000000000' r='4'/></SegmentTimeline>
            </SegmentTemplate>
            """,
            "<SegmentTemplate media='a' startNumber='9223372036854775807' duration='1'/>",
        ])
    func numbersOutOfRangeAreRefused(element: String) {
        #expect(throws: ManifestError.self) { try segments(element) }
    }

    @Test("conversions of times do not overflow") func timeConversionsDoNotOverflow() {
        var information = SegmentInformation(source: .file)
        for timescale in [1, 90_000, 1_000_000_000_000] {
            information.timescale = timescale
            for time in [0, 1, XMLElement.largestInteger, -XMLElement.largestInteger] {
                #expect(information.nanoseconds(time).magnitude <= 1 << 62)
            }
            for time in [0, 1, Int64.max] {
                #expect((0...XMLElement.largestInteger).contains(information.time(ofNanoseconds: time)))
            }
        }
        information.timescale = 90_000
        // The times of these segments count from the start of 1970.
        #expect(information.nanoseconds(1_700_000_000 * 90_000) == 1_700_000_000.seconds)
        #expect(information.time(ofNanoseconds: 1_700_000_000.seconds) == 1_700_000_000 * 90_000)
    }
}
