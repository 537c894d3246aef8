import CFFmpeg

/// Cues of WebVTT in fragmented MP4 (ISO/IEC 14496-30), which FFmpeg 5.1 does not decode.
extension WebVTTSegment {
    /// A sample: the cues that are visible from its start until the next sample, or none.
    struct Sample: Sendable, Equatable {
        /// The start on the clock of the stream, in nanoseconds.
        var start: Int64
        /// The duration in nanoseconds; 0 if it is unknown.
        var duration: Int64 = 0
        /// The boxes of the cues.
        var content: [UInt8]
    }

    /// The sample entry of WebVTT, as FFmpeg stores it.
    private static let sampleEntry = "wvtt".utf8.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }

    /// Reads all samples of a segment.
    ///
    /// - Throws: `unsupportedFormat` if the segment contains other subtitles.
    init(_ demuxer: SegmentDemuxer) throws(MediaError) {
        // Depending on its version, FFmpeg calls the track data or subtitles.
        let found = [AVMEDIA_TYPE_SUBTITLE, AVMEDIA_TYPE_DATA].compactMap { demuxer.stream($0) }
        guard let stream = found.first(where: { $0.pointee.codecpar?.pointee.codec_tag == Self.sampleEntry })
        else { throw MediaError(.unsupportedFormat, "a segment of subtitles is MP4, but contains no WebVTT") }
        let base = TimeBase(stream.pointee.time_base)
        var samples: [Sample] = []
        while samples.count < Self.cueLimit, let packet = try demuxer.read() {
            let p = packet.pointer.pointee
            guard p.stream_index == stream.pointee.index, let start = base.wideNanoseconds(p.pts) else { continue }
            let content = UnsafeBufferPointer(start: p.data, count: p.data == nil ? 0 : max(0, Int(p.size)))
            samples.append(
                Sample(start: start, duration: max(0, base.nanoseconds(p.duration) ?? 0), content: Array(content)))
        }
        self.init(samples: samples, duration: demuxer.bytes.segment.duration)
    }

    /// Reads the cues of samples, and joins the parts of cues that successive samples repeat.
    ///
    /// - Parameter duration: The duration of the segment in nanoseconds.
    init(samples: [Sample], duration: Int64) {
        var cues: [WebVTTCue] = []
        /// The positions of the last cues in `cues`, by their texts.
        var last: [String: Int] = [:]
        for (index, sample) in samples.enumerated() {
            let segmentEnd = samples[0].start &+ duration
            let end =
                index + 1 < samples.count
                ? samples[index + 1].start : sample.duration > 0 ? sample.start &+ sample.duration : segmentEnd
            guard sample.start < end else { continue }
            for text in Self.texts(in: sample.content) where cues.count < Self.cueLimit {
                if let known = last[text], cues[known].end == sample.start {
                    cues[known].end = end
                } else {
                    last[text] = cues.count
                    cues.append(WebVTTCue(start: sample.start, end: end, text: text))
                }
            }
        }
        self.init(cues: cues)
    }

    /// Returns the texts of the cues in a sample.
    private static func texts(in sample: [UInt8]) -> [String] {
        SampleBoxes(rest: sample[...]).filter { $0.type == "vttc" }.flatMap { cue in
            SampleBoxes(rest: cue.content).filter { $0.type == "payl" && !$0.content.isEmpty }.map {
                String(decoding: $0.content.prefix(textLimit), as: UTF8.self)
            }
        }
    }
}

/// The boxes at the start of some bytes; ends before a malformed box.
private struct SampleBoxes: Sequence, IteratorProtocol {
    var rest: ArraySlice<UInt8>

    mutating func next() -> (type: String, content: ArraySlice<UInt8>)? {
        let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard rest.count >= 8, (8...rest.count).contains(size) else { return nil }
        let box = rest.prefix(size)
        rest = rest.dropFirst(size)
        return (String(decoding: box.dropFirst(4).prefix(4), as: UTF8.self), box.dropFirst(8))
    }
}
