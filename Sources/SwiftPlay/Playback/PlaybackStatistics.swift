/// The statistics of a player's frames and devices, counted since the player was created.
public struct PlaybackStatistics: Sendable {
    /// The number of decoded frames.
    public var framesDecoded = 0
    /// The number of frames shown.
    public var framesPresented = 0
    /// The number of decoded frames that were dropped because their time had passed.
    public var framesDropped = 0
    /// The number of frames shown more than 8 ms after their time.
    public var framesLate = 0
    /// The number of times a frame was drawn again because no newer one was available, for example at a new window
    /// size.
    public var framesRepeated = 0
    /// The host time (``Timebase/hostTime``) at which the first frame was passed to the output; nil before that.
    public var firstFrameHostTime: MediaTime?
    /// The offset between audio and video.
    public var synchronisation = Synchronisation()
    /// The events of the audio devices.
    public var audio = Audio()
    /// The time that the decoding thread spends on a frame of the current item, without waiting for space in the queue.
    public var decodeTimes = Histogram()
    /// The time from passing a frame to the display until it is visible; empty if the display does not report it. The X
    /// Present extension does.
    public var presentTimes = Histogram()
    /// The handoffs between layer and Picture-in-Picture, in order.
    public var handoffs: [Handoff] = []
    /// The number that identifies the last frame shown.
    public var lastFrameID: UInt64 = 0

    /// The offset between audio and video.
    public struct Synchronisation: Sendable, Equatable {
        /// Audio minus video time at the last frame shown, in seconds; positive if audio is ahead.
        public var offset = 0.0
        /// The largest magnitude of ``offset`` after the first 60 frames, in seconds.
        public var largestOffset = 0.0

        /// The number of frames after which playback counts as settled.
        private static let settledAfter = 60

        /// Creates statistics without measurements.
        public init() {}

        /// Adds a measurement.
        ///
        /// - Parameters:
        ///   - offset: Audio minus video time, in seconds.
        ///   - frames: The number of frames shown so far.
        mutating func record(_ offset: Double, afterFrames frames: Int) {
            self.offset = offset
            if frames > Self.settledAfter { largestOffset = max(largestOffset, abs(offset)) }
        }
    }

    /// The events of the audio devices so far.
    public struct Audio: Sendable, Equatable {
        /// The number of interruptions because samples arrived too late.
        public var underruns = 0
        /// The number of failures from which a device recovered without being reopened.
        public var recoveries = 0
        /// The number of losses of a device.
        public var losses = 0
        /// The number of attempts to reopen a lost device.
        public var tries = 0
        /// The number of times a lost device was reopened and plays again.
        public var returns = 0

        /// Creates statistics without events.
        public init() {}
    }

    /// A handoff of the video between layer and Picture-in-Picture.
    public struct Handoff: Sendable {
        /// The direction of a handoff.
        public enum Direction: String, Sendable {
            /// From the layer to Picture-in-Picture.
            case toPictureInPicture = "start"
            /// From Picture-in-Picture back to the layer.
            case toLayer = "stop"
            /// Back to the layer because the compositor was lost.
            case lost
        }
        /// The direction of the handoff.
        public let direction: Direction
        /// Host time (CLOCK_MONOTONIC), in seconds, at which the handoff was requested.
        public let requested: Double
        /// Host time (CLOCK_MONOTONIC), in seconds, at which the new place had shown a frame.
        public let completed: Double
        /// The number of the first frame shown at the new place.
        public let frame: UInt64

        /// Creates the record of a handoff; times are in host seconds.
        package init(direction: Direction, requested: Double, completed: Double, frame: UInt64) {
            self.direction = direction
            self.requested = requested
            self.completed = completed
            self.frame = frame
        }
    }

    /// Creates statistics without events.
    public init() {}
}
