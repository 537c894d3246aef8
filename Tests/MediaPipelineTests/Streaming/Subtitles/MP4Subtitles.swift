/// Builds fragmented MP4 files with one WebVTT track (ISO/IEC 14496-12 and 14496-30).
enum MP4Subtitles {
    /// Returns an MP4 box with the given type and contents.
    static func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
        // `joined` copies byte by byte, which is slow for large boxes in debug builds.
        let content = content.reduce(into: [UInt8]()) { $0.append(contentsOf: $1) }
        return bigEndianBytes(8 + content.count) + Array(type.utf8) + content
    }

    /// Returns an MP4 box that has a version and flags.
    private static func fullBox(_ type: String, version: Int = 0, flags: Int = 0, _ content: [UInt8]...) -> [UInt8] {
        box(type, bigEndianBytes(version << 24 | flags), Array(content.joined()))
    }

    /// Returns the bytes of an integer in big-endian order.
    private static func bigEndianBytes(_ value: Int, bytes: Int = 4) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// Returns the bytes of integers of 32 bits in big-endian order.
    private static func integers(_ values: Int...) -> [UInt8] { values.flatMap { bigEndianBytes($0) } }

    /// Returns the content of an MP4 sample with one cue.
    static func cue(_ text: String) -> [UInt8] {
        box("vttc", box("iden", Array("1".utf8)), box("payl", Array(text.utf8)))
    }

    /// The initialization section: one WebVTT track with 1000 time units per second.
    static var initialization: [UInt8] {
        let matrix = integers(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000),
            zeros = { [UInt8](repeating: 0, count: $0) }
        let sampleEntry = box("wvtt", zeros(6), [0, 1], box("vttC", Array("WEBVTT".utf8)))
        let sampleTable = box(
            "stbl", fullBox("stsd", integers(1), sampleEntry), fullBox("stts", zeros(4)), fullBox("stsc", zeros(4)),
            fullBox("stsz", zeros(8)), fullBox("stco", zeros(4)))
        let dataReferences = box("dinf", fullBox("dref", integers(1), fullBox("url ", flags: 1)))
        let mediaBox = box(
            "mdia", fullBox("mdhd", integers(0, 0, 1000, 0), [0x55, 0xC4, 0, 0]),
            fullBox("hdlr", zeros(4), Array("text".utf8), zeros(13)),
            box("minf", fullBox("nmhd"), dataReferences, sampleTable))
        let trackHeader = fullBox("tkhd", flags: 7, integers(0, 0, 1, 0, 0), zeros(16), matrix, zeros(8))
        let movieHeader = fullBox(
            "mvhd", integers(0, 0, 1000, 0, 0x10000), [1, 0], zeros(10), matrix, zeros(24), integers(2))
        return box("ftyp", Array("iso6".utf8), zeros(4), Array("iso6".utf8))
            + box(
                "moov", movieHeader, box("trak", trackHeader, mediaBox),
                box("mvex", fullBox("trex", integers(1, 1, 0, 0, 0))))
    }

    /// Returns a media segment of one fragment.
    ///
    /// - Parameters:
    ///   - start: The time of the first sample in milliseconds.
    ///   - samples: The durations of the samples in milliseconds, and their contents.
    static func segment(start: Int, _ samples: [(duration: Int, content: [UInt8])]) -> [UInt8] {
        func fragment(_ dataOffset: Int) -> [UInt8] {
            let runEntries = samples.flatMap { integers($0.duration, $0.content.count) }
            let trackFragment = box(
                "traf", fullBox("tfhd", flags: 0x20000, integers(1)),
                fullBox("tfdt", version: 1, bigEndianBytes(start, bytes: 8)),
                fullBox("trun", flags: 0x301, integers(samples.count, dataOffset), runEntries))
            return box("moof", fullBox("mfhd", integers(1)), trackFragment)
        }
        return fragment(fragment(0).count + 8) + box("mdat", samples.flatMap(\.content))
    }
}
