import SharedFrames

/// Something that is to be read for a while.
package struct SubtitleEvent: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// An event of ASS without its order of reading: `Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text`.
        case text(String)
        /// Pictures on a canvas; none: what was there goes.
        case bitmaps([SubtitleBitmap], canvas: PixelSize)
    }

    /// Nanoseconds on the item's timeline.
    package var start: Int64
    /// `Int64.max`: until the next one.
    package var end: Int64
    package var content: Content

    package init(start: Int64, end: Int64, content: Content) {
        self.start = start
        self.end = end
        self.content = content
    }

    /// Bytes that it holds on to, about.
    package var cost: Int {
        switch content {
        case .text(let text): text.utf8.count + 64
        case .bitmaps(let bitmaps, _): bitmaps.reduce(64) { $0 + $1.pixels.count + 64 }
        }
    }
}

/// A picture of a subtitle, as it was made, before scaling.
package struct SubtitleBitmap: Sendable, Equatable {
    /// On the canvas.
    package let rect: PixelRect
    /// Premultiplied BGRA, rows without padding.
    package let pixels: [UInt8]
    package init(rect: PixelRect, pixels: [UInt8]) {
        self.rect = rect
        self.pixels = pixels
    }
}

/// What a subtitle track gives, in order.
package enum SubtitleItem: Sendable {
    /// What follows belongs to another track.
    case begin(SubtitleFormat)
    case events([SubtitleEvent])
    /// What stays until the next one is known to stay until then only: what follows comes from elsewhere.
    case gap(after: Int64)
}

/// How a track's events are to be shown.
package struct SubtitleFormat: Sendable, Equatable {
    /// The track's number.
    package var track: Int
    /// The header of an ASS script; nil for text that brings no style of its own, and for pictures.
    package var header: String?
    package var fonts: [SubtitleFont] = []
    package init(track: Int, header: String? = nil, fonts: [SubtitleFont] = []) {
        self.track = track
        self.header = header
        self.fonts = fonts
    }
}
