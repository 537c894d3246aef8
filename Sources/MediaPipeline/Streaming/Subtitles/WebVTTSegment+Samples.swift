import CFFmpeg

/// Reads WebVTT cues in fragmented MP4 (ISO/IEC 14496-30), which FFmpeg 5.1 does not decode.
extension WebVTTSegment {
    /// An MP4 sample: the cues that are visible until the next sample; may contain no cues.
    struct Sample: Sendable, Equatable {
        /// The start of the sample on the stream's clock, in nanoseconds.
        var start: Int64
        /// The duration of the sample in nanoseconds; 0 if it is unknown.
        var duration: Int64 = 0
        /// The MP4 boxes of the sample's cues.
        var content: [UInt8]
    }

    /// The sample entry type `wvtt` in the byte order of FFmpeg's `codec_tag`.
    private static let wvttSampleEntry = "wvtt".utf8.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }

    /// Reads all WebVTT samples of a segment.
    ///
    /// - Throws: `unsupportedFormat` if the segment contains no WebVTT.
    init(_ demuxer: SegmentDemuxer) throws(MediaError) {
        // FFmpeg reports a WebVTT track as data or as subtitles, depending on its version.
        let streams = [AVMEDIA_TYPE_SUBTITLE, AVMEDIA_TYPE_DATA].compactMap { demuxer.stream($0) }
        guard let stream = streams.first(where: { $0.pointee.codecpar?.pointee.codec_tag == Self.wvttSampleEntry })
        else { throw MediaError(.unsupportedFormat, "a segment of subtitles is MP4, but contains no WebVTT") }
        let streamTimeBase = TimeBase(stream.pointee.time_base)
        var samples: [Sample] = []
        while samples.count < Self.cueLimit, let packet = try demuxer.read() {
            let avPacket = packet.pointer.pointee
            guard avPacket.stream_index == stream.pointee.index,
                let start = streamTimeBase.wideNanoseconds(avPacket.pts)
            else { continue }
            let content = UnsafeBufferPointer(
                start: avPacket.data, count: avPacket.data == nil ? 0 : max(0, Int(avPacket.size)))
            samples.append(
                Sample(
                    start: start, duration: max(0, streamTimeBase.nanoseconds(avPacket.duration) ?? 0),
                    content: Array(content)))
        }
        self.init(samples: samples, duration: demuxer.bytes.segment.duration)
    }

    /// Reads the cues of samples. Successive samples repeat a cue that stays visible; such repetitions become one cue.
    ///
    /// - Parameter duration: The duration of the segment in nanoseconds.
    init(samples: [Sample], duration: Int64) {
        var cues: [WebVTTCue] = []
        /// The index in `cues` of the last cue with each text.
        var lastCueIndices: [String: Int] = [:]
        for (index, sample) in samples.enumerated() {
            let segmentEnd = samples[0].start &+ duration
            let end =
                index + 1 < samples.count
                ? samples[index + 1].start : sample.duration > 0 ? sample.start &+ sample.duration : segmentEnd
            guard sample.start < end else { continue }
            for text in Self.texts(in: sample.content) where cues.count < Self.cueLimit {
                if let cueIndex = lastCueIndices[text], cues[cueIndex].end == sample.start {
                    cues[cueIndex].end = end
                } else {
                    lastCueIndices[text] = cues.count
                    cues.append(WebVTTCue(start: sample.start, end: end, text: text))
                }
            }
        }
        self.init(cues: cues)
    }

    /// Returns the texts of the cues in a sample.
    private static func texts(in sample: [UInt8]) -> [String] {
        SampleBoxes(remainingBytes: sample[...]).filter { $0.type == "vttc" }.flatMap { cue in
            SampleBoxes(remainingBytes: cue.content).filter { $0.type == "payl" && !$0.content.isEmpty }.map {
                String(decoding: $0.content.prefix(textLimit), as: UTF8.self)
            }
        }
    }
}

/// The MP4 boxes in some bytes, up to the first malformed box.
private struct SampleBoxes: Sequence, IteratorProtocol {
    var remainingBytes: ArraySlice<UInt8>

    mutating func next() -> (type: String, content: ArraySlice<UInt8>)? {
        let size = remainingBytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard remainingBytes.count >= 8, (8...remainingBytes.count).contains(size) else { return nil }
        let box = remainingBytes.prefix(size)
        remainingBytes = remainingBytes.dropFirst(size)
        return (String(decoding: box.dropFirst(4).prefix(4), as: UTF8.self), box.dropFirst(8))
    }
}
