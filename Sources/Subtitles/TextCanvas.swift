import CASS
import MediaPipeline
import SharedFrames

/// The owner of the libass library, renderer and track. Creating it loads fonts, which may take a second. One thread at
/// a time.
final class TextCanvas {
    private let library: OpaquePointer
    private let renderer: OpaquePointer
    private let track: UnsafeMutablePointer<ASS_Track>
    /// Whether the text has no styles of its own; such text may lie in the black bars beside the picture.
    private let isPlain: Bool
    private var order: Int32 = 0
    private var place: OverlayPlace?

    /// The script height that FFmpeg uses for plain-text formats (384 × 288).
    private static let plainHeight: Int32 = 288
    private static let plainHeader = """
        [Script Info]
        ScriptType: v4.00+
        PlayResX: 384
        PlayResY: 288
        ScaledBorderAndShadow: yes
        YCbCr Matrix: None

        [V4+ Styles]
        Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, \
        ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
        Style: Default,sans-serif,18,&H00FFFFFF,&H00FFFFFF,&H00000000,&H00000000,0,0,0,0,100,100,0,0,1,1.2,0,2,20,20,10,1

        [Events]
        Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text

        """

    /// Creates a canvas; nil if memory is exhausted.
    init?(_ format: SubtitleFormat) {
        guard let library = ass_library_init() else { return nil }
        cass_silence(library)
        for font in format.fonts {
            font.bytes.withUnsafeBufferPointer { bytes in
                ass_add_font(
                    library, font.name, UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    Int32(clamping: bytes.count))
            }
        }
        ass_set_extract_fonts(library, 1)
        guard let renderer = ass_renderer_init(library) else {
            ass_library_done(library)
            return nil
        }
        guard let track = ass_new_track(library) else {
            ass_renderer_done(renderer)
            ass_library_done(library)
            return nil
        }
        (self.library, self.renderer, self.track) = (library, renderer, track)
        isPlain = format.header == nil
        var header = Array((format.header ?? Self.plainHeader).utf8CString)
        let count = Int32(clamping: header.count - 1)
        header.withUnsafeMutableBufferPointer { ass_process_codec_private(track, $0.baseAddress, count) }
        // `add` numbers the events itself and never repeats a number.
        ass_set_check_readorder(track, 0)
        ass_set_fonts(renderer, nil, "sans-serif", Int32(ASS_FONTPROVIDER_AUTODETECT.rawValue), nil, 1)
    }

    deinit {
        ass_free_track(track)
        ass_renderer_done(renderer)
        ass_library_done(library)
    }

    /// Adds an event; times are in nanoseconds.
    func add(_ text: String, start: Int64, end: Int64) {
        var line = Array("\(order),\(text)".utf8CString)
        order &+= 1
        let count = Int32(clamping: line.count - 1)
        // libass adds both values, and computes with 32 bits in places.
        let begin = min(max(start / 1_000_000, 0), 1 << 40), length = min(max((end - start) / 1_000_000, 0), 1 << 40)
        line.withUnsafeMutableBufferPointer { ass_process_chunk(track, $0.baseAddress, count, begin, length) }
    }

    /// Draws the text that is visible at `time` (nanoseconds).
    ///
    /// - Parameter scale: The scale of the text; 1 is the designed size.
    func draw(at time: Int64, in place: OverlayPlace, scale: Double) -> [OverlayPicture.Box] {
        if place != self.place { fit(place) }
        ass_set_font_scale(renderer, min(max(scale, 0.01), 100))
        let first = ass_render_frame(renderer, track, time / 1_000_000, nil)
        return GlyphComposer.boxes(first, size: place.size)
    }

    private func fit(_ place: OverlayPlace) {
        self.place = place
        ass_set_frame_size(renderer, Int32(clamping: place.size.width), Int32(clamping: place.size.height))
        let r = place.picture
        ass_set_margins(
            renderer, Int32(clamping: r.y), Int32(clamping: place.size.height - r.y - r.height), Int32(clamping: r.x),
            Int32(clamping: place.size.width - r.x - r.width))
        ass_set_use_margins(renderer, isPlain ? 1 : 0)
        // Lines at the lower edge move above the covered rows; text with an explicit position stays.
        let top = isPlain ? 0 : r.y, bottom = isPlain ? place.size.height : r.y + r.height
        let hidden = min(max(0, bottom - place.size.height + place.covered), max(0, bottom - top))
        ass_set_line_position(renderer, hidden > 0 ? Double(hidden) * 100 / Double(bottom - top) : 0)
        guard isPlain else {
            ass_set_storage_size(renderer, Int32(clamping: place.video.width), Int32(clamping: place.video.height))
            return
        }
        // The script resolution takes the picture's aspect ratio, so that letters keep their shape.
        let width = r.height > 0 ? Int(Self.plainHeight) * r.width / r.height : 384
        track.pointee.PlayResX = Int32(clamping: max(width, 1))
        track.pointee.PlayResY = Self.plainHeight
        ass_set_pixel_aspect(renderer, 1)
    }
}
