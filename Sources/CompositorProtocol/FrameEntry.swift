import SharedFrames

/// A frame in the ring: which memory, how to read it, when it was to be seen. No pixel.
package struct FrameEntry: Equatable, Sendable {
    /// ``VideoFrame/id``.
    package var frame: UInt64
    package var slot: UInt32
    package var format: UInt32
    /// Presentation timestamp on the item's timeline, nanoseconds.
    package var presentationTime: Int64
    /// Host time (`MonotonicTime`) at which it is to be seen.
    package var hostTime: Int64

    package init(frame: UInt64, slot: UInt32, format: UInt32, presentationTime: Int64, hostTime: Int64) {
        self.frame = frame
        self.slot = slot
        self.format = format
        self.presentationTime = presentationTime
        self.hostTime = hostTime
    }

    package init(_ entry: RingEntry) {
        frame = entry.a
        slot = UInt32(truncatingIfNeeded: entry.b)
        format = UInt32(truncatingIfNeeded: entry.b >> 32)
        presentationTime = Int64(bitPattern: entry.c)
        hostTime = Int64(bitPattern: entry.d)
    }

    package var entry: RingEntry {
        RingEntry(
            frame, UInt64(slot) | UInt64(format) << 32, UInt64(bitPattern: presentationTime),
            UInt64(bitPattern: hostTime))
    }

    /// Frames that may be with the compositor at once: one on screen, one being drawn, and some to spare for a slow
    /// moment.
    package static let inFlightLimit = 8
}

/// A frame that the compositor has let go of.
package struct ReleaseEntry: Equatable, Sendable {
    package var frame: UInt64
    /// Host time at which it was given to the screen; 0 = it never was.
    package var shownAt: Int64

    package init(frame: UInt64, shownAt: Int64) {
        self.frame = frame
        self.shownAt = shownAt
    }

    package init(_ entry: RingEntry) {
        frame = entry.a
        shownAt = Int64(bitPattern: entry.b)
    }

    package var entry: RingEntry { RingEntry(frame, UInt64(bitPattern: shownAt)) }
}
