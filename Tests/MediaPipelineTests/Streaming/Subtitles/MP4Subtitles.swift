/// Builds fragmented MP4 with one WebVTT track (ISO/IEC 14496-12 and 14496-30).
enum MP4Subtitles {
    static func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
        let content = Array(content.joined())
        return number(8 + content.count) + Array(type.utf8) + content
    }

    /// Returns an MP4 box that has a version and flags.
    private static func fullBox(_ type: String, version: Int = 0, flags: Int = 0, _ content: [UInt8]...) -> [UInt8] {
        box(type, number(version << 24 | flags), Array(content.joined()))
    }

    /// Returns the bytes of an integer in big-endian order.
    private static func number(_ value: Int, bytes: Int = 4) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func numbers(_ values: Int...) -> [UInt8] { values.flatMap { number($0) } }

    /// Returns the content of an MP4 sample with one cue.
    static func cue(_ text: String) -> [UInt8] {
        box("vttc", box("iden", Array("1".utf8)), box("payl", Array(text.utf8)))
    }

    /// The initialization section: one WebVTT track with 1000 time units per second.
    static var initialization: [UInt8] {
        let matrix = numbers(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000),
            zeros = { [UInt8](repeating: 0, count: $0) }
        let entry = box("wvtt", zeros(6), [0, 1], box("vttC", Array("WEBVTT".utf8)))
        let table = box(
            "stbl", fullBox("stsd", numbers(1), entry), fullBox("stts", zeros(4)), fullBox("stsc", zeros(4)),
            fullBox("stsz", zeros(8)), fullBox("stco", zeros(4)))
        let references = box("dinf", fullBox("dref", numbers(1), fullBox("url ", flags: 1)))
        let media = box(
            "mdia", fullBox("mdhd", numbers(0, 0, 1000, 0), [0x55, 0xC4, 0, 0]),
            fullBox("hdlr", zeros(4), Array("text".utf8), zeros(13)), box("minf", fullBox("nmhd"), references, table))
        let header = fullBox("tkhd", flags: 7, numbers(0, 0, 1, 0, 0), zeros(16), matrix, zeros(8))
        let movie = fullBox(
            "mvhd", numbers(0, 0, 1000, 0, 0x10000), [1, 0], zeros(10), matrix, zeros(24), numbers(2))
        return box("ftyp", Array("iso6".utf8), zeros(4), Array("iso6".utf8))
            + box("moov", movie, box("trak", header, media), box("mvex", fullBox("trex", numbers(1, 1, 0, 0, 0))))
    }

    /// Returns a media segment of one fragment.
    ///
    /// - Parameters:
    ///   - start: The time of the first sample in milliseconds.
    ///   - samples: The durations of the samples in milliseconds, and their contents.
    static func segment(start: Int, _ samples: [(duration: Int, content: [UInt8])]) -> [UInt8] {
        func fragment(_ offset: Int) -> [UInt8] {
            let runs = samples.flatMap { numbers($0.duration, $0.content.count) }
            let track = box(
                "traf", fullBox("tfhd", flags: 0x20000, numbers(1)),
                fullBox("tfdt", version: 1, number(start, bytes: 8)),
                fullBox("trun", flags: 0x301, numbers(samples.count, offset), runs))
            return box("moof", fullBox("mfhd", numbers(1)), track)
        }
        return fragment(fragment(0).count + 8) + box("mdat", samples.flatMap(\.content))
    }
}
