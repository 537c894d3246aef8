import CFFmpeg

/// Demuxes one segment with its own libavformat context, so that no state of an earlier segment affects it. Used by the
/// reading thread.
final class SegmentDemuxer {
    let bytes: SegmentBytes
    let containerFormat: SegmentFormat
    /// The first sample's time, in nanoseconds, as the segment's ID3 tag states it; nil if there is no such tag.
    private(set) var taggedTime: Int64?
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let input: UnsafeMutablePointer<AVIOContext>

    private static let bufferSize: Int32 = 32 * 1024
    /// The number of first bytes from which the container format is recognised.
    private static let recognitionByteCount = 189

    /// Recognises the container format of a segment and opens it.
    init(_ bytes: SegmentBytes) throws(MediaError) {
        self.bytes = bytes
        var id3Tag: ID3Tag?
        if let size = ID3Tag.tagSize(atStartOf: bytes.peek(10)) {
            id3Tag = ID3Tag(bytes.peek(size))
            bytes.skip(size)
        }
        taggedTime = id3Tag?.timestamp.flatMap { TimeBase(AVRational(num: 1, den: 90_000)).nanoseconds($0) }
        let firstBytes = bytes.peek(Self.recognitionByteCount)
        try Self.throwIfEndedEarly(bytes)
        guard let format = SegmentFormat(firstBytes: firstBytes) else {
            throw MediaError(.unsupportedFormat, "a segment is \(Self.description(of: firstBytes)), not media")
        }
        containerFormat = format
        guard let demuxer = av_find_input_format(format.rawValue) else {
            throw MediaError(.unsupportedFormat, "there is no demuxer for \(format.rawValue)")
        }
        guard
            let input = cffmpeg_io_context(
                Self.bufferSize, Unmanaged.passUnretained(bytes).toOpaque(),
                { opaque, target, count in
                    guard let opaque, let target, count > 0 else { return cffmpeg_error(EINVAL) }
                    let readCount = Unmanaged<SegmentBytes>.fromOpaque(opaque).takeUnretainedValue().read(
                        into: UnsafeMutableRawBufferPointer(start: target, count: Int(count)))
                    return readCount == 0 ? cffmpeg_error_eof : Int32(clamping: readCount)
                }, nil)
        else { throw MediaError(.outOfMemory, "no memory for a read buffer") }
        input.pointee.seekable = 0
        self.input = input
        var context = avformat_alloc_context()
        guard let allocated = context else {
            Self.free(input)
            throw MediaError(.outOfMemory, "no memory for a demuxer")
        }
        Self.configure(allocated, input)
        let code = avformat_open_input(&context, "", demuxer, nil)
        guard code >= 0, let openedContext = context else {
            Self.free(input)
            try Self.throwIfEndedEarly(bytes)
            throw MediaError(ffmpeg: code, doing: "a segment cannot be read")
        }
        self.context = openedContext
        if avformat_find_stream_info(openedContext, nil) < 0 { try Self.throwIfEndedEarly(bytes) }
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&pointer)
        Self.free(input)
    }

    private static func free(_ input: UnsafeMutablePointer<AVIOContext>) {
        av_free(input.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = input
        avio_context_free(&pointer)
    }

    /// Sets the reading limits, and prevents libavformat from opening other files.
    private static func configure(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ input: UnsafeMutablePointer<AVIOContext>
    ) {
        ReadingLimits.apply(to: context)
        context.pointee.pb = input
        context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        // Three frames suffice to determine the frame rate. ``StreamClock`` handles timestamps that wrap around.
        context.pointee.fps_probe_size = 3
        context.pointee.correct_ts_overflow = 0
        context.pointee.io_open = { _, _, _, _, _ in cffmpeg_error(EACCES) }
    }

    /// Throws the error because of which the bytes of the segment ended early, if there is one.
    private static func throwIfEndedEarly(_ bytes: SegmentBytes) throws(MediaError) {
        switch bytes.earlyEnd {
        case nil: return
        case .interrupted, .abandoned: throw MediaError(.interrupted, "was cancelled")
        case .failed(let error): throw error
        }
    }

    /// Describes, for an error message, the data that a server sent instead of a segment.
    static func description(of firstBytes: [UInt8]) -> String {
        if firstBytes.isEmpty { return "empty" }
        if firstBytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "a PNG picture" }
        if firstBytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "a JPEG picture" }
        let text = String(decoding: firstBytes.prefix(64), as: UTF8.self).lowercased()
        return text.contains("<html") || text.contains("<!doctype") ? "a web page" : "of an unknown format"
    }

    /// Returns the stream with an index; nil if there is none. Transport streams may add streams while they are read.
    func stream(at index: Int32) -> UnsafeMutablePointer<AVStream>? {
        index >= 0 && UInt32(index) < context.pointee.nb_streams ? context.pointee.streams[Int(index)] : nil
    }

    /// Returns the played stream of a media type: the first stream of that type.
    func stream(_ type: AVMediaType) -> UnsafeMutablePointer<AVStream>? {
        for index in 0..<Int32(clamping: context.pointee.nb_streams) {
            if let stream = stream(at: index), stream.pointee.codecpar?.pointee.codec_type == type { return stream }
        }
        return nil
    }

    /// Reads the next packet; nil at the end of the segment, or if the bytes ended early. Does not return a truncated
    /// packet.
    func read() throws(MediaError) -> Packet? {
        guard let packet = Packet() else { throw MediaError(.outOfMemory, "no memory for a packet") }
        let code = av_read_frame(context, packet.pointer)
        guard bytes.earlyEnd == nil else { return nil }
        if code == cffmpeg_error_eof { return nil }
        guard code >= 0 else { throw MediaError(ffmpeg: code, doing: "a segment is damaged") }
        return packet
    }
}
