import SharedFrames

/// A subtitle event: text or bitmaps shown for a time.
package struct SubtitleEvent: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// An ASS event without its read order: `Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text`.
        case text(String)
        /// Bitmaps on a canvas; an empty list clears the previous bitmaps.
        case bitmaps([SubtitleBitmap], canvas: PixelSize)
    }

    /// The start time on the item's timeline, in nanoseconds.
    package var start: Int64
    /// The end time in nanoseconds; `Int64.max` lasts until the next event.
    package var end: Int64
    package var content: Content

    package init(start: Int64, end: Int64, content: Content) {
        self.start = start
        self.end = end
        self.content = content
    }

    /// The approximate memory use in bytes.
    package var cost: Int {
        switch content {
        case .text(let text): text.utf8.count + 64
        case .bitmaps(let bitmaps, _): bitmaps.reduce(64) { $0 + $1.pixels.count + 64 }
        }
    }
}

/// One bitmap of a subtitle in its original size.
package struct SubtitleBitmap: Sendable, Equatable {
    /// The position on the canvas.
    package let rect: PixelRect
    /// The pixels as premultiplied BGRA, with rows without padding.
    package let pixels: [UInt8]
    package init(rect: PixelRect, pixels: [UInt8]) {
        self.rect = rect
        self.pixels = pixels
    }
}

/// An output of a subtitle track, in order.
package enum SubtitleItem: Sendable {
    /// The following items belong to a new track.
    case begin(SubtitleFormat)
    case events([SubtitleEvent])
    /// An event without an end lasts until this time only: the following items were read at another position.
    case gap(after: Int64)
}

/// The format of a track's events.
package struct SubtitleFormat: Sendable, Equatable {
    /// The track's number.
    package var track: Int
    /// The header of an ASS script; nil for plain text and for bitmaps.
    package var header: String?
    package var fonts: [SubtitleFont] = []
    package init(track: Int, header: String? = nil, fonts: [SubtitleFont] = []) {
        self.track = track
        self.header = header
        self.fonts = fonts
    }
}
