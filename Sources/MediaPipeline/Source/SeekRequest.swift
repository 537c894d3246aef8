/// A request to continue reading at another time.
package struct SeekRequest: Sendable, Equatable {
    /// The frame at which playback continues.
    package enum Precision: Sendable, Equatable {
        /// Seek to the frame shown at the time.
        case exact
        /// Seek to the keyframe at or before the time.
        case keyframe
        /// Seek to a keyframe inside the range (nanoseconds on the item's timeline): the last one at or before the
        /// time, else the first one after it. If there is no such keyframe, seek to the frame shown at the time.
        case near(ClosedRange<Int64>)
    }
    /// The sought time on the item's timeline, in nanoseconds.
    package var time: Int64
    /// The frame at which playback continues.
    package var precision: Precision
    /// The number of the seek, with which everything decoded after it is marked.
    package var generation: UInt32
    package init(time: Int64, precision: Precision, generation: UInt32) {
        self.time = time
        self.precision = precision
        self.generation = generation
    }
}
