import CASS
import MediaPipeline
import SharedFrames

/// A renderer that draws the text events of one subtitle track with libass. Creating a canvas loads fonts, which may
/// take a second. Used by one thread at a time.
final class TextCanvas {
    /// The libass library handle, to which renderer and track belong.
    private let library: OpaquePointer
    /// The libass renderer.
    private let renderer: OpaquePointer
    /// The libass track, which stores the events and their styles.
    private let track: UnsafeMutablePointer<ASS_Track>
    /// Whether the track has no ASS header, so that its text has the default style. Text in the default style may lie
    /// in the black bars around the picture.
    let usesDefaultStyle: Bool
    /// The number of the next added event. libass sorts events that start at the same time by their numbers.
    private var nextEventNumber: Int32 = 0
    /// The window and picture area for which libass is configured; nil before the first drawing.
    private var geometry: OverlayGeometry?
    /// The vertical position of text in percent: 100 is the position that the track defines, 0 the upper edge. Larger
    /// values than 100 mean 100. Text with an explicit position stays.
    var position = 100.0 { didSet { if position != oldValue { geometry = nil } } }

    /// The vertical script resolution that FFmpeg uses for subtitles without an ASS header (384 × 288).
    private static let defaultScriptHeight: Int32 = 288
    /// The ASS header for tracks without an ASS header, such as SubRip.
    private static let defaultHeader = """
        [Script Info]
        ScriptType: v4.00+
        PlayResX: 384
        PlayResY: 288
        ScaledBorderAndShadow: yes
        YCbCr Matrix: None

        [V4+ Styles]
        Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, \
        Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, \
        MarginL, MarginR, MarginV, Encoding
        Style: Default,sans-serif,18,&H00FFFFFF,&H00FFFFFF,&H00000000,&H00000000,0,0,0,0,\
        100,100,0,0,1,1.2,0,2,20,20,10,1

        [Events]
        Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text

        """

    /// The version of libass, as its header encodes it: `0x01700000` is 0.17.0.
    static var libraryVersion: Int { Int(ass_library_version()) }

    /// Creates a canvas; nil if libass cannot allocate memory.
    init?(_ format: SubtitleFormat) {
        guard let library = ass_library_init() else { return nil }
        cass_discard_messages(library)
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
        usesDefaultStyle = format.header == nil
        var header = Array((format.header ?? Self.defaultHeader).utf8CString)
        let count = Int32(clamping: header.count - 1)
        header.withUnsafeMutableBufferPointer { ass_process_codec_private(track, $0.baseAddress, count) }
        // Turn the search for duplicate events in libass off: `add` gives each event a new number.
        ass_set_check_readorder(track, 0)
        ass_set_fonts(renderer, nil, "sans-serif", Int32(ASS_FONTPROVIDER_AUTODETECT.rawValue), nil, 1)
    }

    deinit {
        ass_free_track(track)
        ass_renderer_done(renderer)
        ass_library_done(library)
    }

    /// Adds a text event; times are in nanoseconds.
    func add(_ text: String, start: Int64, end: Int64) {
        var line = Array("\(nextEventNumber),\(text)".utf8CString)
        nextEventNumber &+= 1
        let count = Int32(clamping: line.count - 1)
        // libass expects milliseconds, and adds start time and duration. The limit of about 35 years keeps the sum from
        // overflowing.
        let startTime = min(max(start / 1_000_000, 0), 1 << 40),
            duration = min(max((end - start) / 1_000_000, 0), 1 << 40)
        line.withUnsafeMutableBufferPointer { ass_process_chunk(track, $0.baseAddress, count, startTime, duration) }
    }

    /// Returns the drawn text that is visible at `time` (nanoseconds).
    ///
    /// - Parameter scale: The factor by which the text is enlarged; 1 keeps the size that the track defines.
    func draw(at time: Int64, in geometry: OverlayGeometry, scale: Double) -> [OverlayPicture.Box] {
        if geometry != self.geometry { configure(for: geometry) }
        ass_set_font_scale(renderer, min(max(scale, 0.01), 100))
        let firstImage = ass_render_frame(renderer, track, time / 1_000_000, nil)
        return GlyphComposer.boxes(firstImage, size: geometry.windowSize)
    }

    /// Configures libass for another window size or picture area.
    private func configure(for geometry: OverlayGeometry) {
        self.geometry = geometry
        let window = geometry.windowSize, picture = geometry.pictureRect
        ass_set_frame_size(renderer, Int32(clamping: window.width), Int32(clamping: window.height))
        ass_set_margins(
            renderer, Int32(clamping: picture.y), Int32(clamping: window.height - picture.y - picture.height),
            Int32(clamping: picture.x),
            Int32(clamping: window.width - picture.x - picture.width))
        ass_set_use_margins(renderer, usesDefaultStyle ? 1 : 0)
        // Lines at the lower edge move above the rows that controls cover; text with an explicit position stays.
        let top = usesDefaultStyle ? 0 : picture.y,
            bottom = usesDefaultStyle ? window.height : picture.y + picture.height
        let coveredHeight = min(max(0, bottom - window.height + geometry.coveredRowCount), max(0, bottom - top))
        let coveredPercent = coveredHeight > 0 ? Double(coveredHeight) * 100 / Double(bottom - top) : 0
        ass_set_line_position(renderer, max(coveredPercent, min(max(100 - position, 0), 100)))
        guard usesDefaultStyle else {
            ass_set_storage_size(
                renderer, Int32(clamping: geometry.videoSize.width), Int32(clamping: geometry.videoSize.height))
            return
        }
        // The script resolution gets the picture's aspect ratio, so that letters keep their shape.
        let width = picture.height > 0 ? Int(Self.defaultScriptHeight) * picture.width / picture.height : 384
        track.pointee.PlayResX = Int32(clamping: max(width, 1))
        track.pointee.PlayResY = Self.defaultScriptHeight
        ass_set_pixel_aspect(renderer, 1)
    }
}
