import SharedFrames

/// An entry of the frame ring: the slot, format and times of a frame, without its pixels.
package struct FrameEntry: Equatable, Sendable {
    /// The frame's number, `VideoFrame.id`.
    package var frame: UInt64
    /// The number of the memory slot that holds the pixels.
    package var slot: UInt32
    /// The number of the frame's format.
    package var format: UInt32
    /// The presentation timestamp on the item's timeline, in nanoseconds.
    package var presentationTime: Int64
    /// The host time (`MonotonicTime`) at which the frame is due, in nanoseconds.
    package var hostTime: Int64

    /// Creates an entry.
    package init(frame: UInt64, slot: UInt32, format: UInt32, presentationTime: Int64, hostTime: Int64) {
        self.frame = frame
        self.slot = slot
        self.format = format
        self.presentationTime = presentationTime
        self.hostTime = hostTime
    }

    /// Decodes an entry.
    package init(_ entry: RingEntry) {
        frame = entry.a
        slot = UInt32(truncatingIfNeeded: entry.b)
        format = UInt32(truncatingIfNeeded: entry.b >> 32)
        presentationTime = Int64(bitPattern: entry.c)
        hostTime = Int64(bitPattern: entry.d)
    }

    /// The encoded entry.
    package var entry: RingEntry {
        RingEntry(
            frame, UInt64(slot) | UInt64(format) << 32, UInt64(bitPattern: presentationTime),
            UInt64(bitPattern: hostTime))
    }

    /// The largest number of frames that the compositor holds at a time: one on screen, one being drawn, and a reserve
    /// for delays.
    package static let inFlightLimit = 8
}

/// An entry of the release ring: a frame that the compositor no longer uses.
package struct ReleaseEntry: Equatable, Sendable {
    /// The frame's number.
    package var frame: UInt64
    /// The host time at which the frame was given to the screen; 0 if it was not shown.
    package var shownAt: Int64

    /// Creates an entry.
    package init(frame: UInt64, shownAt: Int64) {
        self.frame = frame
        self.shownAt = shownAt
    }

    /// Decodes an entry.
    package init(_ entry: RingEntry) {
        frame = entry.a
        shownAt = Int64(bitPattern: entry.b)
    }

    /// The encoded entry.
    package var entry: RingEntry { RingEntry(frame, UInt64(bitPattern: shownAt)) }
}
