import CFFmpeg
import Glibc
import SharedFrames
import SystemCalls

/// The owner of an FFmpeg decoder. Used by one thread, for which FFmpeg decodes on its own worker threads.
struct CodecContext: ~Copyable {
    let pointer: UnsafeMutablePointer<AVCodecContext>

    /// Finds the decoder for a stream and applies the container's parameters; `configure` sets further options
    /// before the decoder opens.
    ///
    /// - Parameter priority: The priority of FFmpeg's worker threads; nil for the priority of the calling thread.
    init(
        parameters: CodecParameters, priority: ThreadPriority? = nil,
        configure: (UnsafeMutablePointer<AVCodecContext>) -> Void
    ) throws(MediaError) {
        let name = parameters.codecName
        guard let decoder = avcodec_find_decoder(parameters.pointer.pointee.codec_id) else {
            throw MediaError(.unsupportedCodec, "there is no decoder for \(name)")
        }
        guard let pointer = avcodec_alloc_context3(decoder) else {
            throw MediaError(.outOfMemory, "no memory for a decoder")
        }
        var code = avcodec_parameters_to_context(pointer, parameters.pointer)
        if code >= 0 {
            ReadingLimits.apply(to: pointer)
            configure(pointer)
            code = Self.open(pointer, decoder, priority)
        }
        guard code >= 0 else {
            var pointer: UnsafeMutablePointer<AVCodecContext>? = pointer
            avcodec_free_context(&pointer)
            throw MediaError(ffmpeg: code, doing: "cannot open the \(name) decoder")
        }
        self.pointer = pointer
    }

    /// Opens the decoder, which starts FFmpeg's worker threads.
    ///
    /// - Returns: FFmpeg's error code; 0 or more after success.
    private static func open(
        _ context: UnsafeMutablePointer<AVCodecContext>, _ decoder: UnsafePointer<AVCodec>, _ priority: ThreadPriority?
    ) -> Int32 {
        guard let priority, context.pointee.thread_count > 1 else { return avcodec_open2(context, decoder, nil) }
        // New threads inherit the priority of the thread that starts them, and a thread cannot raise its priority
        // again: start the workers from a thread that ends afterwards. Only one thread at a time uses these pointers,
        // because this thread waits.
        nonisolated(unsafe) let (context, decoder) = (context, decoder)
        let result = Monitor<Int32>(0)
        guard
            let opening = try? NamedThread(
                "video decode",
                {
                    priority.applyToCurrentThread()
                    let code = avcodec_open2(context, decoder, nil)
                    result.withLock { $0 = code }
                })
        else { return avcodec_open2(context, decoder, nil) }
        opening.join()
        return result.withLock { $0 }
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = pointer
        avcodec_free_context(&pointer)
    }
}

/// A copy of the container's codec parameters for a stream, which the demuxer can pass to a decoder.
///
/// `@unchecked Sendable`: written in `init`, only read afterwards.
final class CodecParameters: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVCodecParameters>
    /// The time base of the stream's timestamps.
    let timeBase: TimeBase
    /// The average number of frames per second; 0 if it is unknown.
    let frameRate: Double
    /// The container's side data for pictures: orientation, crop and peak luminance.
    let pictureSideData: PictureSideData
    /// Whether the track is a cover picture: one picture that is shown during the whole audio track.
    let isCoverPicture: Bool
    /// Whether several threads can decode one picture (``WavefrontCoding``).
    private(set) var hasWavefronts = false

    /// Copies the parameters of a stream; nil if memory is exhausted.
    ///
    /// - Parameter crop: The crop to use if the stream itself states none.
    init?(stream: UnsafeMutablePointer<AVStream>, crop: PictureCrop? = nil) {
        guard let pointer = avcodec_parameters_alloc() else { return nil }
        self.pointer = pointer
        timeBase = TimeBase(stream.pointee.time_base)
        let rate = stream.pointee.avg_frame_rate
        frameRate = rate.num > 0 && rate.den > 0 ? Double(rate.num) / Double(rate.den) : 0
        var pictureSideData = PictureSideData(stream: stream)
        pictureSideData.crop = pictureSideData.crop ?? crop
        self.pictureSideData = pictureSideData
        isCoverPicture = stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        if avcodec_parameters_copy(pointer, stream.pointee.codecpar) < 0 { return nil }
        pointer.pointee.codec_id = Self.codec(of: stream)
        hasWavefronts = WavefrontCoding.isUsed(by: pointer.pointee)
    }

    /// Whether the codec is H.264.
    var isH264: Bool { pointer.pointee.codec_id == AV_CODEC_ID_H264 }

    /// Returns the same parameters with the time base of other parameters; nil if memory is exhausted.
    func withTimeBase(of other: CodecParameters) -> CodecParameters? {
        CodecParameters(copying: self, timeBase: other.timeBase)
    }

    /// Returns the same parameters with a time base of nanoseconds; nil if memory is exhausted.
    func withNanosecondTimeBase() -> CodecParameters? {
        CodecParameters(copying: self, timeBase: TimeBase(TimeBase.nanoseconds))
    }

    /// Whether these parameters have the same codec as `other`, but lack the picture size or the sample rate, because
    /// the stream's data has not contained them yet.
    func isIncompleteVersion(of other: CodecParameters) -> Bool {
        let parameters = pointer.pointee
        guard parameters.codec_id == other.pointer.pointee.codec_id else { return false }
        return switch parameters.codec_type {
        case AVMEDIA_TYPE_VIDEO: parameters.width == 0
        case AVMEDIA_TYPE_AUDIO: parameters.sample_rate == 0
        default: false
        }
    }

    /// Whether a decoder for `other` also decodes packets with these parameters: codec, format and configuration are
    /// equal.
    func isCompatible(with other: CodecParameters) -> Bool {
        let (ownParameters, otherParameters) = (pointer.pointee, other.pointer.pointee)
        guard ownParameters.codec_id == otherParameters.codec_id, ownParameters.width == otherParameters.width,
            ownParameters.height == otherParameters.height,
            ownParameters.format == otherParameters.format,
            ownParameters.sample_rate == otherParameters.sample_rate,
            ownParameters.ch_layout.nb_channels == otherParameters.ch_layout.nb_channels,
            ownParameters.extradata_size == otherParameters.extradata_size
        else { return false }
        guard let ownHeader = ownParameters.extradata, let otherHeader = otherParameters.extradata else {
            return ownParameters.extradata == otherParameters.extradata
        }
        return memcmp(ownHeader, otherHeader, Int(ownParameters.extradata_size)) == 0
    }

    private init?(copying other: CodecParameters, timeBase: TimeBase) {
        guard let pointer = avcodec_parameters_alloc() else { return nil }
        (self.pointer, self.timeBase) = (pointer, timeBase)
        (frameRate, pictureSideData, isCoverPicture) = (other.frameRate, other.pictureSideData, other.isCoverPicture)
        hasWavefronts = other.hasWavefronts
        if avcodec_parameters_copy(pointer, other.pointer) < 0 { return nil }
    }

    /// Returns the codec of a stream, also for codec names that FFmpeg does not support. FFmpeg 5.1 does not support
    /// Matroska's `S_TEXT/WEBVTT`, whose private data is the header of a WebVTT file (RFC 9559, 12.2; "WebVTT in
    /// Matroska").
    ///
    /// Does not change the stream itself: FFmpeg would then parse its packets as WebM's `D_WEBVTT`, which has a
    /// different structure.
    static func codec(of stream: UnsafeMutablePointer<AVStream>) -> AVCodecID {
        guard let parameters = stream.pointee.codecpar?.pointee else { return AV_CODEC_ID_NONE }
        guard parameters.codec_id == AV_CODEC_ID_NONE, parameters.codec_type == AVMEDIA_TYPE_SUBTITLE,
            let header = parameters.extradata
        else {
            return parameters.codec_id
        }
        let bytes = UnsafeBufferPointer(start: header, count: max(0, Int(parameters.extradata_size)))
        let start = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
        return start.starts(with: "WEBVTT".utf8) ? AV_CODEC_ID_WEBVTT : AV_CODEC_ID_NONE
    }

    /// Creates parameters for subtitles without a container; nil if memory is exhausted.
    ///
    /// - Parameter header: The private data of the codec: the size and the palette of VobSub (DVD) subtitles.
    init?(subtitles codec: AVCodecID, header: [UInt8], timeBase: TimeBase) {
        guard let pointer = avcodec_parameters_alloc() else { return nil }
        self.pointer = pointer
        self.timeBase = timeBase
        frameRate = 0
        pictureSideData = PictureSideData()
        isCoverPicture = false
        pointer.pointee.codec_type = AVMEDIA_TYPE_SUBTITLE
        pointer.pointee.codec_id = codec
        guard let bytes = av_mallocz(header.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else { return nil }
        pointer.pointee.extradata = bytes.assumingMemoryBound(to: UInt8.self)
        pointer.pointee.extradata_size = Int32(clamping: header.count)
        header.withUnsafeBytes {
            bytes.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(bytes), byteCount: $0.count)
        }
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecParameters>? = pointer
        avcodec_parameters_free(&pointer)
    }

    /// The coded size of the pictures; empty if the track is not video.
    var pictureSize: PixelSize {
        PixelSize(width: max(0, Int(pointer.pointee.width)), height: max(0, Int(pointer.pointee.height)))
    }

    /// The name of the codec for messages: FFmpeg's name, or the container's four-letter code.
    var codecName: String {
        guard pointer.pointee.codec_id != AV_CODEC_ID_NONE else {
            let tag = pointer.pointee.codec_tag
            let letters = (0..<4).map { UInt8(truncatingIfNeeded: tag >> ($0 * 8)) }
            return letters.allSatisfy { (33...126).contains($0) }
                ? String(decoding: letters, as: UTF8.self) : "an unknown codec"
        }
        return avcodec_get_name(pointer.pointee.codec_id).map { String(cString: $0) } ?? "an unknown codec"
    }
}
