import CFFmpeg
import SharedFrames

/// Decodes the packets of one subtitle track: text becomes ASS events, and bitmaps become premultiplied BGRA. Used by
/// one thread.
struct SubtitleDecoder: ~Copyable {
    private let context: CodecContext
    private let timeBase: TimeBase
    /// The time on the container's clock at which the item starts, in nanoseconds.
    private let itemOrigin: Int64
    /// The size of the video, on which bitmaps without a stated canvas size are placed.
    private let videoSize: PixelSize
    /// The field order of the script's events.
    private let fieldOrder: ScriptFieldOrder

    /// The display duration, in nanoseconds, of text without a stated duration.
    private static let typicalDuration: Int64 = 5_000_000_000
    /// The longest duration of an event, in nanoseconds.
    private static let longestDuration: Int64 = 1 << 53
    /// The maximum number of bitmaps in one event.
    private static let bitmapLimit = 64

    init(parameters: CodecParameters, origin: Int64, videoSize: PixelSize = PixelSize(width: 0, height: 0))
        throws(MediaError)
    {
        let streamTimeBase = parameters.timeBase
        context = try CodecContext(parameters: parameters) { context in
            context.pointee.pkt_timebase = AVRational(num: streamTimeBase.numerator, den: streamTimeBase.denominator)
        }
        timeBase = streamTimeBase
        itemOrigin = origin
        self.videoSize = videoSize
        fieldOrder = ScriptFieldOrder(header: Self.header(of: context.pointer) ?? "")
    }

    /// The ASS script header; nil for plain text and for bitmaps.
    var header: String? { Self.header(of: context.pointer).map { fieldOrder.headerInStandardOrder($0) } }

    /// Returns the ASS script header as the decoder stores it; nil for codecs other than ASS.
    private static func header(of context: UnsafeMutablePointer<AVCodecContext>) -> String? {
        guard context.pointee.codec_id == AV_CODEC_ID_ASS, let bytes = context.pointee.subtitle_header else {
            return nil
        }
        let count = max(0, Int(context.pointee.subtitle_header_size))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count).prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Resets the decoder before a packet that was read at another position of the media.
    func flush() { avcodec_flush_buffers(context.pointer) }

    /// Decodes a packet to events; returns no events for a damaged packet.
    func decode(_ packet: Packet) -> [SubtitleEvent] {
        var subtitle = AVSubtitle()
        var hasSubtitle: Int32 = 0
        let code = avcodec_decode_subtitle2(context.pointer, &subtitle, &hasSubtitle, packet.pointer)
        guard code >= 0, hasSubtitle != 0 else { return [] }
        defer { avsubtitle_free(&subtitle) }
        guard let start = timeBase.nanoseconds(packet.pointer.pointee.pts).map({ $0 - itemOrigin }) else { return [] }
        let rects = (0..<Int(subtitle.num_rects)).compactMap { subtitle.rects[$0] }
        let texts = rects.compactMap { $0.pointee.ass }.compactMap { Self.withoutReadOrder(String(cString: $0)) }.map {
            fieldOrder.eventInStandardOrder($0)
        }
        if !texts.isEmpty {
            let statedDuration = timeBase.nanoseconds(packet.pointer.pointee.duration) ?? 0
            let displayDuration = Int64(subtitle.end_display_time) * 1_000_000
            let isDisplayDurationKnown = displayDuration > 0 && subtitle.end_display_time != .max
            let duration =
                statedDuration > 0 ? statedDuration : isDisplayDurationKnown ? displayDuration : Self.typicalDuration
            let end = start + min(duration, Self.longestDuration)
            return texts.map { SubtitleEvent(start: start, end: end, content: .text($0)) }
        }
        // An event in several packets starts at the time of its first packet.
        let statedStart =
            TimeBase(AVRational(num: 1, den: AV_TIME_BASE)).nanoseconds(subtitle.pts).map { $0 - itemOrigin } ?? start
        let baseTime = abs(statedStart - start) < Self.typicalDuration ? statedStart : start
        let displayStart = baseTime + Int64(subtitle.start_display_time) * 1_000_000
        let hasNoEnd = subtitle.end_display_time == .max || subtitle.end_display_time == 0
        let end = hasNoEnd ? Int64.max : baseTime + Int64(subtitle.end_display_time) * 1_000_000
        let bitmaps = rects.prefix(Self.bitmapLimit).compactMap { Self.bitmap($0) }
        return [SubtitleEvent(start: displayStart, end: end, content: .bitmaps(bitmaps, canvas: canvasSize(bitmaps)))]
    }

    /// Returns an ASS event without its `ReadOrder` field, because the renderer numbers events itself.
    private static func withoutReadOrder(_ line: String) -> String? {
        guard let commaIndex = line.firstIndex(of: ",") else { return nil }
        return String(line[line.index(after: commaIndex)...])
    }

    /// Returns the stated canvas size, or the codec's usual size if none is stated, enlarged to contain all bitmaps.
    private func canvasSize(_ bitmaps: [SubtitleBitmap]) -> PixelSize {
        let width = max(0, Int(context.pointer.pointee.width)), height = max(0, Int(context.pointer.pointee.height))
        let right = bitmaps.map { $0.rect.x + $0.rect.width }.max() ?? 0,
            bottom = bitmaps.map { $0.rect.y + $0.rect.height }.max() ?? 0
        if width > 0, height > 0 { return PixelSize(width: max(width, right), height: max(height, bottom)) }
        guard !bitmaps.isEmpty else { return PixelSize(width: 0, height: 0) }
        // DVD bitmaps are made for the video's size, other bitmaps for a PAL screen.
        let defaultSize =
            context.pointer.pointee.codec_id == AV_CODEC_ID_DVD_SUBTITLE && !videoSize.isEmpty
            ? videoSize : PixelSize(width: 720, height: 576)
        return PixelSize(width: max(defaultSize.width, right), height: max(defaultSize.height, bottom))
    }

    /// Converts a bitmap with a palette to premultiplied BGRA.
    private static func bitmap(_ rect: UnsafeMutablePointer<AVSubtitleRect>) -> SubtitleBitmap? {
        let source = rect.pointee, width = Int(source.w), height = Int(source.h), stride = Int(source.linesize.0)
        guard source.type == SUBTITLE_BITMAP, width > 0, height > 0, width <= 8192, height <= 8192,
            width * height <= 1 << 23, stride >= width, source.x >= 0, source.y >= 0,
            source.x <= 16384, source.y <= 16384, let indices = source.data.0, let palette = source.data.1
        else { return nil }
        let colours: [UInt32] = (0..<256).map { index in
            guard index < Int(source.nb_colors) else { return 0 }
            let colour = palette.withMemoryRebound(to: UInt32.self, capacity: 256) { $0[index] }
            let alpha = colour >> 24
            func premultiplied(_ shift: UInt32) -> UInt32 { (((colour >> shift & 0xFF) * alpha + 127) / 255) << shift }
            return alpha << 24 | premultiplied(16) | premultiplied(8) | premultiplied(0)
        }
        var pixels = [UInt8](repeating: 0, count: width * height * 4)
        pixels.withUnsafeMutableBytes { bytes in
            let targetPixels = bytes.bindMemory(to: UInt32.self)
            colours.withUnsafeBufferPointer { colours in
                for y in 0..<height {
                    let row = indices + y * stride
                    for x in 0..<width { targetPixels[y &* width &+ x] = colours[Int(row[x])].littleEndian }
                }
            }
        }
        return SubtitleBitmap(
            rect: PixelRect(x: Int(source.x), y: Int(source.y), width: width, height: height), pixels: pixels)
    }
}
