import CFFmpeg
import SharedFrames

/// The one owner of a decoder. Used by one thread (FFmpeg's own workers are below it).
struct CodecContext: ~Copyable {
    let pointer: UnsafeMutablePointer<AVCodecContext>

    /// Finds the decoder for a stream and fills in what the container says; `configure` sets the rest before it opens.
    init(parameters: CodecParameters, configure: (UnsafeMutablePointer<AVCodecContext>) -> Void) throws(MediaError) {
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
            code = avcodec_open2(pointer, decoder, nil)
        }
        guard code >= 0 else {
            var pointer: UnsafeMutablePointer<AVCodecContext>? = pointer
            avcodec_free_context(&pointer)
            throw MediaError(ffmpeg: code, doing: "cannot open the \(name) decoder")
        }
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = pointer
        avcodec_free_context(&pointer)
    }
}

/// A copy of what the container says about a stream's codec, safe to hand from the demuxer to a decoder.
///
/// `@unchecked Sendable`: written in `init`, only read afterwards.
final class CodecParameters: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVCodecParameters>
    let timeBase: TimeBase
    /// Average frames per second; 0 = unknown.
    let frameRate: Double
    /// What the container says of the picture.
    let picture: PictureSideData
    /// One picture beside the sound: a cover.
    let isStill: Bool

    init?(stream: UnsafeMutablePointer<AVStream>, crop: PictureCrop? = nil) {
        guard let pointer = avcodec_parameters_alloc() else { return nil }
        self.pointer = pointer
        timeBase = TimeBase(stream.pointee.time_base)
        let rate = stream.pointee.avg_frame_rate
        frameRate = rate.num > 0 && rate.den > 0 ? Double(rate.num) / Double(rate.den) : 0
        var picture = PictureSideData(stream: stream)
        picture.crop = picture.crop ?? crop
        self.picture = picture
        isStill = stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        if avcodec_parameters_copy(pointer, stream.pointee.codecpar) < 0 { return nil }
        pointer.pointee.codec_id = Self.codec(of: stream)
    }

    /// The same format, for packets whose stamps are in the time base of another one; nil without memory.
    func withTimeBase(of other: CodecParameters) -> CodecParameters? {
        CodecParameters(copying: self, timeBase: other.timeBase)
    }

    private init?(copying other: CodecParameters, timeBase: TimeBase) {
        guard let pointer = avcodec_parameters_alloc() else { return nil }
        (self.pointer, self.timeBase) = (pointer, timeBase)
        (frameRate, picture, isStill) = (other.frameRate, other.picture, other.isStill)
        if avcodec_parameters_copy(pointer, other.pointer) < 0 { return nil }
    }

    /// The codec of a stream, also where FFmpeg does not know the container's name for it: FFmpeg 5.1 does not know
    /// Matroska's `S_TEXT/WEBVTT`, whose private data is the head of a WebVTT file (RFC 9559, 12.2; "WebVTT in
    /// Matroska").
    ///
    /// The stream itself stays as it is: FFmpeg would take its packets for those of WebM's `D_WEBVTT`, which are built
    /// in another way.
    static func codec(of stream: UnsafeMutablePointer<AVStream>) -> AVCodecID {
        guard let parameters = stream.pointee.codecpar?.pointee else { return AV_CODEC_ID_NONE }
        guard parameters.codec_id == AV_CODEC_ID_NONE, parameters.codec_type == AVMEDIA_TYPE_SUBTITLE,
            let head = parameters.extradata
        else {
            return parameters.codec_id
        }
        let bytes = UnsafeBufferPointer(start: head, count: max(0, Int(parameters.extradata_size)))
        let start = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
        return start.starts(with: "WEBVTT".utf8) ? AV_CODEC_ID_WEBVTT : AV_CODEC_ID_NONE
    }

    /// Of a file of a DVD's subtitles, whose head tells the size and the colours.
    init?(dvdHead head: [UInt8], timeBase: TimeBase) {
        guard let pointer = avcodec_parameters_alloc() else { return nil }
        self.pointer = pointer
        self.timeBase = timeBase
        frameRate = 0
        picture = PictureSideData()
        isStill = false
        pointer.pointee.codec_type = AVMEDIA_TYPE_SUBTITLE
        pointer.pointee.codec_id = AV_CODEC_ID_DVD_SUBTITLE
        guard let bytes = av_mallocz(head.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else { return nil }
        pointer.pointee.extradata = bytes.assumingMemoryBound(to: UInt8.self)
        pointer.pointee.extradata_size = Int32(clamping: head.count)
        head.withUnsafeBytes { bytes.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(bytes), byteCount: $0.count) }
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecParameters>? = pointer
        avcodec_parameters_free(&pointer)
    }

    /// As it is coded; nothing for what is no picture.
    var pictureSize: PixelSize {
        PixelSize(width: max(0, Int(pointer.pointee.width)), height: max(0, Int(pointer.pointee.height)))
    }

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
