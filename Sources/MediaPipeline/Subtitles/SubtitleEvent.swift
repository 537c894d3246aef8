import SharedFrames

/// A subtitle event: text or bitmaps that are shown for a certain time.
package struct SubtitleEvent: Sendable, Equatable {
    /// The content of the event.
    package enum Content: Sendable, Equatable {
        /// An ASS event without its `ReadOrder` field: `Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text`.
        case text(String)
        /// Bitmaps on a canvas; an empty list clears the previous bitmaps.
        case bitmaps([SubtitleBitmap], canvas: PixelSize)
    }

    /// The start time on the item's timeline, in nanoseconds.
    package var start: Int64
    /// The end time on the item's timeline, in nanoseconds; with `Int64.max` the event lasts until the next event.
    package var end: Int64
    /// The content of the event.
    package var content: Content

    package init(start: Int64, end: Int64, content: Content) {
        self.start = start
        self.end = end
        self.content = content
    }

    /// The approximate memory use of the event in bytes.
    package var cost: Int {
        switch content {
        case .text(let text): text.utf8.count + 64
        case .bitmaps(let bitmaps, _): bitmaps.reduce(64) { $0 + $1.pixels.count + 64 }
        }
    }
}

/// One bitmap of a subtitle in its original size.
package struct SubtitleBitmap: Sendable, Equatable {
    /// The position and size of the bitmap on the canvas.
    package let rect: PixelRect
    /// The pixels as premultiplied BGRA, with rows without padding.
    package let pixels: [UInt8]
    package init(rect: PixelRect, pixels: [UInt8]) {
        self.rect = rect
        self.pixels = pixels
    }
}

/// One output of a subtitle decoder.
package enum SubtitleItem: Sendable {
    /// A newly selected track, to which the following items belong.
    case begin(SubtitleFormat)
    /// The next events of the track.
    case events([SubtitleEvent])
    /// A seek: an event without an end time lasts only until this time (nanoseconds on the item's timeline), because
    /// the following items were read at another position.
    case gap(after: Int64)
}

/// The format of a track's events.
package struct SubtitleFormat: Sendable, Equatable {
    /// The identifier of the track (``MediaTrack/id``).
    package var track: Int
    /// The header of an ASS script; nil for plain text and for bitmaps.
    package var header: String?
    /// The fonts that the item carries for the script.
    package var fonts: [SubtitleFont] = []
    package init(track: Int, header: String? = nil, fonts: [SubtitleFont] = []) {
        self.track = track
        self.header = header
        self.fonts = fonts
    }
}
