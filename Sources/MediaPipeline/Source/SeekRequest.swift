/// Where to go on reading.
package struct SeekRequest: Sendable, Equatable {
    package enum Precision: Sendable, Equatable {
        /// To the frame that is seen at the time.
        case exact
        /// To the keyframe at or before it.
        case keyframe
        /// To a keyframe inside the range, nanoseconds on the item's timeline: the last one at or before the time, else
        /// the first one after it. Where no such keyframe is found: to the frame that is seen at the time.
        case near(ClosedRange<Int64>)
    }
    /// Nanoseconds on the item's timeline.
    package var time: Int64
    package var precision: Precision
    /// Everything decoded after this seek carries it.
    package var generation: UInt32
    package init(time: Int64, precision: Precision, generation: UInt32) {
        self.time = time
        self.precision = precision
        self.generation = generation
    }
}
