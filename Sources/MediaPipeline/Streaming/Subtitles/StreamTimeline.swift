import SystemCalls

/// The timeline of a stream, which the reading thread publishes for the threads that fetch subtitles.
final class StreamTimeline: Sendable {
    /// The published state of the timeline.
    struct Values: Sendable {
        /// The offsets from the clocks of the stream to the item's timeline.
        var clock = StreamClock()
        /// The segments of the current variant; nil before its playlist is loaded.
        var window: SegmentWindow?
    }

    private let values = Monitor(Values())

    /// The state that was published last.
    var currentValues: Values { values.withLock { $0 } }

    /// Publishes a new state of the timeline.
    func publish(_ clock: StreamClock, _ window: SegmentWindow?) {
        values.withLock { $0 = Values(clock: clock, window: window) }
    }
}
