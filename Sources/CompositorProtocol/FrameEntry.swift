import SharedFrames

/// A frame that a program passes to the compositor through a ring in shared memory: its number, memory slot, format and
/// times, without the pixels.
package struct FrameEntry: Equatable, Sendable {
    /// The frame's number (`VideoFrame.id`).
    package var frame: UInt64
    /// The number of the memory slot that holds the pixels.
    package var slot: UInt32
    /// The number of the frame's format, as announced by the program with
    /// ``ClientMessage/format(session:number:format:)``.
    package var format: UInt32
    /// The presentation timestamp on the item's timeline, in nanoseconds.
    package var presentationTime: Int64
    /// The host time at which the frame must be shown (`MonotonicTime`), in nanoseconds.
    package var hostTime: Int64

    /// Creates an entry for a frame.
    package init(frame: UInt64, slot: UInt32, format: UInt32, presentationTime: Int64, hostTime: Int64) {
        self.frame = frame
        self.slot = slot
        self.format = format
        self.presentationTime = presentationTime
        self.hostTime = hostTime
    }

    /// Decodes an entry that was read from the shared ring.
    package init(_ entry: RingEntry) {
        frame = entry.word0
        slot = UInt32(truncatingIfNeeded: entry.word1)
        format = UInt32(truncatingIfNeeded: entry.word1 >> 32)
        presentationTime = Int64(bitPattern: entry.word2)
        hostTime = Int64(bitPattern: entry.word3)
    }

    /// The entry encoded as four words for the shared ring.
    package var entry: RingEntry {
        RingEntry(
            frame, UInt64(slot) | UInt64(format) << 32, UInt64(bitPattern: presentationTime),
            UInt64(bitPattern: hostTime))
    }

    /// The maximum number of frames that the compositor uses at a time: the frame on screen, the frame being drawn, and
    /// a reserve for delays.
    package static let heldFrameLimit = 8
}

/// A frame that the compositor no longer uses. The compositor reports it to the program through a second ring in shared
/// memory.
package struct ReleasedFrame: Equatable, Sendable {
    /// The frame's number (`VideoFrame.id`).
    package var frame: UInt64
    /// The host time at which the frame was sent to the screen, in nanoseconds; 0 if it was not shown.
    package var shownAt: Int64

    /// Creates an entry for a released frame.
    package init(frame: UInt64, shownAt: Int64) {
        self.frame = frame
        self.shownAt = shownAt
    }

    /// Decodes an entry that was read from the shared ring.
    package init(_ entry: RingEntry) {
        frame = entry.word0
        shownAt = Int64(bitPattern: entry.word1)
    }

    /// The entry encoded as words for the shared ring.
    package var entry: RingEntry { RingEntry(frame, UInt64(bitPattern: shownAt)) }
}
