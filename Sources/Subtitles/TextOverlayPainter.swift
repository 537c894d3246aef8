import CASS
import SharedFrames

/// Lines of text with the formatting tags of ASS, which lie over the picture at any time (mpv's `osd-overlay`).
package struct TextOverlay: Hashable, Sendable {
    /// The text. Each line, up to a line feed, is drawn as the text of one ASS event.
    package var text: String
    /// The size of the script, to which sizes and positions in the text refer (`PlayResX` and `PlayResY`). A width of 0
    /// gives script pixels that are square in the window, and a height of 0 the height that ASS assumes, 288.
    package var scriptSize: PixelSize

    /// The default height of the script in `osd-overlay`.
    package static let defaultScriptHeight = 720
    /// The height of an ASS script that states none.
    private static let unstatedScriptHeight = 288
    /// The largest width and height of the script.
    package static let scriptSizeLimit = 1 << 16

    package init(text: String, scriptSize: PixelSize) {
        self.text = text
        self.scriptSize = scriptSize
    }

    /// Returns the size of the script in a window: at least 1 and at most ``scriptSizeLimit`` in both directions.
    package func resolvedScriptSize(in window: PixelSize) -> PixelSize {
        func limited(_ length: Int) -> Int { min(max(length, 1), Self.scriptSizeLimit) }
        let height = limited(scriptSize.height > 0 ? scriptSize.height : Self.unstatedScriptHeight)
        let squareWidth = window.isEmpty ? height : height * window.width / window.height
        return PixelSize(width: limited(scriptSize.width > 0 ? scriptSize.width : squareWidth), height: height)
    }
}

/// A painter that draws ``TextOverlay`` values with libass. Creating it loads fonts, which may take a second. Used by
/// one thread at a time.
package final class TextOverlayPainter {
    /// The libass library handle, to which the renderer and its tracks belong.
    private let library: OpaquePointer
    /// The libass renderer.
    private let renderer: OpaquePointer

    /// The duration of the events, in milliseconds. They are drawn at their start.
    private static let eventDuration: Int64 = 1000

    /// Creates a painter; nil if libass cannot allocate memory.
    package init?() {
        guard let library = ass_library_init() else { return nil }
        cass_discard_messages(library)
        guard let renderer = ass_renderer_init(library) else {
            ass_library_done(library)
            return nil
        }
        ass_set_fonts(renderer, nil, "sans-serif", Int32(ASS_FONTPROVIDER_AUTODETECT.rawValue), nil, 1)
        (self.library, self.renderer) = (library, renderer)
    }

    deinit {
        ass_renderer_done(renderer)
        ass_library_done(library)
    }

    /// Returns the pixels of an overlay in a window of `size`; empty if the overlay shows nothing.
    package func boxes(of overlay: TextOverlay, in size: PixelSize) -> [OverlayPicture.Box] {
        guard !size.isEmpty, let track = ass_new_track(library) else { return [] }
        defer { ass_free_track(track) }
        let script = overlay.resolvedScriptSize(in: size)
        Self.withMutableBytes(of: Self.header(scriptSize: script)) {
            ass_process_codec_private(track, $0, $1)
        }
        // Turn the search for duplicate events in libass off: each event has its own number.
        ass_set_check_readorder(track, 0)
        for (number, line) in overlay.text.split(separator: "\n").enumerated() {
            Self.withMutableBytes(of: "\(number),0,Default,,0,0,0,,\(line)") {
                ass_process_chunk(track, $0, $1, 0, Self.eventDuration)
            }
        }
        ass_set_frame_size(renderer, Int32(clamping: size.width), Int32(clamping: size.height))
        // Stretch letters by the same factors as positions: a pixel of the script then has the same shape everywhere.
        ass_set_pixel_aspect(
            renderer, Double(size.width) / Double(script.width) * Double(script.height) / Double(size.height))
        return GlyphComposer.boxes(ass_render_frame(renderer, track, 0, nil), size: size)
    }

    /// Returns the ASS header: the style of mpv's messages with its default options, in the upper left corner, under
    /// mpv's two names of the style.
    static func header(scriptSize: PixelSize) -> String {
        func scaled(_ length: Double) -> Double { length * Double(scriptSize.height) / 720 }
        let margins = "\(Int(scaled(25).rounded())),\(Int(scaled(25).rounded())),\(Int(scaled(22).rounded()))"
        let style =
            "sans-serif,\(scaled(55)),&H00FFFFFF,&H00FFFFFF,&H00000000,&H00000000,0,0,0,0,100,100,0,0,1,\(scaled(3)),0,7,"
            + "\(margins),1"
        return """
            [Script Info]
            ScriptType: v4.00+
            PlayResX: \(scriptSize.width)
            PlayResY: \(scriptSize.height)
            ScaledBorderAndShadow: yes
            YCbCr Matrix: None
            WrapStyle: 0

            [V4+ Styles]
            Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, \
            Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, \
            MarginL, MarginR, MarginV, Encoding
            Style: Default,\(style)
            Style: OSD,\(style)

            [Events]
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text

            """
    }

    /// Calls `body` with the UTF-8 bytes of a text, which libass modifies while it parses them, and their number.
    private static func withMutableBytes(of text: String, _ body: (UnsafeMutablePointer<CChar>?, Int32) -> Void) {
        var bytes = Array(text.utf8CString)
        let count = Int32(clamping: bytes.count - 1)
        bytes.withUnsafeMutableBufferPointer { body($0.baseAddress, count) }
    }
}
