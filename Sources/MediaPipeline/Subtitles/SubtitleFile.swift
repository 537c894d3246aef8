import CFFmpeg
import SystemCalls

/// A subtitle file. The whole file is read, converted to UTF-8, and parsed by libavformat from memory, so that
/// libavformat opens no files itself.
final class SubtitleFile: SubtitlePacketSource {
    /// The maximum size of a subtitle file in bytes.
    static let byteLimit = 64 << 20
    /// The names of the libavformat demuxers that may read a subtitle file. None of these formats refers to other
    /// files.
    private static let demuxerNames =
        "srt,ass,webvtt,microdvd,mpl2,mpsub,jacosub,sami,realtext,subviewer,subviewer1,stl,aqtitle,pjs,vplayer,lrc,sup,"
        + "matroska,mov"

    /// The file's bytes, from which libavformat reads.
    private let input: MemoryInput
    /// libavformat's context of the file.
    private var format: UnsafeMutablePointer<AVFormatContext>
    /// The parameters of the track's decoder.
    let parameters: CodecParameters
    /// The stream index of the first subtitle track.
    private let streamIndex: Int32

    /// Opens a subtitle file, or the VobSub pair to which the file belongs.
    ///
    /// - Parameters:
    ///   - location: A path or address from the user or found beside the media; opened under `opener`'s policy.
    ///   - characterSet: The rule that selects the character set of text.
    static func open(
        _ location: String, _ opener: MediaOpener, characterSet: SubtitleCharacterSet = .automatic
    ) throws(MediaError) -> any SubtitlePacketSource {
        var bytes = try read(location, opener)
        if let vobSubPair = VobSub.pair(location), vobSubPair.index == location || isBinary(bytes) {
            let index = vobSubPair.index == location ? bytes : try read(vobSubPair.index, opener)
            return try VobSubFile(
                index: index, pictures: vobSubPair.pictures == location ? bytes : try read(vobSubPair.pictures, opener))
        }
        if !isBinary(bytes) { bytes = try TextEncoding.utf8(bytes, characterSet) }
        return try SubtitleFile(bytes, location: location, opener: opener)
    }

    private init(_ bytes: [UInt8], location: String, opener: MediaOpener) throws(MediaError) {
        input = try MemoryInput(bytes)
        guard let allocated = avformat_alloc_context() else {
            throw MediaError(.outOfMemory, "no memory for a demuxer")
        }
        allocated.pointee.pb = input.context
        allocated.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        opener.install(allocated)
        var options: OpaquePointer?
        av_dict_set(&options, "format_whitelist", Self.demuxerNames, 0)
        defer { av_dict_free(&options) }
        var context: UnsafeMutablePointer<AVFormatContext>? = allocated
        let code = avformat_open_input(&context, location, nil, &options)
        guard code >= 0, let openedContext = context else {
            throw MediaError(.notMedia, "is not a subtitle file of a supported format")
        }
        format = openedContext
        var firstTrack: (Int32, CodecParameters)?
        for index in 0..<Int(openedContext.pointee.nb_streams) {
            guard let stream = openedContext.pointee.streams[index],
                stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_SUBTITLE,
                let parameters = CodecParameters(stream: stream)
            else { continue }
            firstTrack = (Int32(index), parameters)
            break
        }
        guard let firstTrack else {
            var pointer: UnsafeMutablePointer<AVFormatContext>? = openedContext
            avformat_close_input(&pointer)
            throw MediaError(.notMedia, "has no subtitles")
        }
        (streamIndex, parameters) = firstTrack
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFormatContext>? = format
        avformat_close_input(&pointer)
    }

    /// The fonts attached to the file.
    var fonts: [SubtitleFont] { SubtitleFont.all(of: format) }

    /// Returns the next packet of the track; nil at the end of the file.
    func next() throws(MediaError) -> Packet? {
        guard let packet = Packet() else { throw MediaError(.outOfMemory, "no memory for a packet") }
        var attemptCount = 0
        while true {
            let code = av_read_frame(format, packet.pointer)
            attemptCount += 1
            if code == cffmpeg_error(EAGAIN), attemptCount < ReadingLimits.retryLimit { continue }
            // An error here means a damaged end of the file: keep the packets that were read before it.
            if code < 0 { return nil }
            if packet.pointer.pointee.stream_index == streamIndex { return packet }
            av_packet_unref(packet.pointer)
        }
    }

    /// Returns the content of a subtitle file. Throws if the file is empty or exceeds ``byteLimit``.
    private static func read(_ location: String, _ opener: MediaOpener) throws(MediaError) -> [UInt8] {
        let bytes = try opener.readRoot(location, limit: byteLimit)
        guard !bytes.isEmpty else { throw MediaError(.isEmpty, "the file is empty") }
        return bytes
    }

    /// Returns whether the file is binary. Text contains zero bytes only in UTF-16, which starts with a byte order
    /// mark.
    private static func isBinary(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return false }
        return bytes.prefix(4096).contains(0)
    }
}

/// Bytes in memory as FFmpeg's input. Used by one thread; released after the context that reads through it.
final class MemoryInput {
    /// The content of the input.
    private let bytes: [UInt8]
    /// The read position in bytes.
    private var position = 0
    /// FFmpeg's I/O context, which reads the bytes.
    private(set) var context: UnsafeMutablePointer<AVIOContext>?

    init(_ bytes: [UInt8]) throws(MediaError) {
        self.bytes = bytes
        context = cffmpeg_io_context(
            4096, Unmanaged.passUnretained(self).toOpaque(),
            { opaque, target, count in
                guard let opaque, let target else { return cffmpeg_error(EINVAL) }
                return Unmanaged<MemoryInput>.fromOpaque(opaque).takeUnretainedValue().read(
                    into: target, count: Int(count))
            },
            { opaque, offset, whence in
                guard let opaque else { return -1 }
                return Unmanaged<MemoryInput>.fromOpaque(opaque).takeUnretainedValue().seek(offset, whence)
            })
        guard context != nil else { throw MediaError(.outOfMemory, "no memory for a read buffer") }
    }

    deinit {
        guard let context else { return }
        av_free(context.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = context
        avio_context_free(&pointer)
    }

    /// Copies up to `count` bytes for FFmpeg; returns their number, or FFmpeg's end-of-file code.
    private func read(into target: UnsafeMutablePointer<UInt8>, count: Int) -> Int32 {
        let readCount = min(max(count, 0), bytes.count - position)
        guard readCount > 0 else { return cffmpeg_error_eof }
        bytes.withUnsafeBufferPointer { source in
            guard let baseAddress = source.baseAddress else { return }
            target.update(from: baseAddress + position, count: readCount)
        }
        position += readCount
        return Int32(clamping: readCount)
    }

    /// Moves the read position for FFmpeg and returns it, or returns the size of the input.
    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        if whence & AVSEEK_SIZE != 0 { return Int64(bytes.count) }
        let baseOffset: Int64 =
            switch whence & 0x3 {
            case SEEK_CUR: Int64(position)
            case SEEK_END: Int64(bytes.count)
            default: 0
            }
        let (sum, overflow) = baseOffset.addingReportingOverflow(offset)
        guard !overflow, let targetPosition = Int(exactly: sum), (0...bytes.count).contains(targetPosition) else {
            return Int64(cffmpeg_error(EINVAL))
        }
        position = targetPosition
        return Int64(targetPosition)
    }
}
