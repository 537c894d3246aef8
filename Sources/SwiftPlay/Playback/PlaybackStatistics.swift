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
    /// The number of times a frame was drawn again because no newer frame was available, for example at a new window
    /// size.
    public var framesRepeated = 0
    /// The host time (``Timebase/hostTime``) at which the first frame was passed to the output; nil before that.
    public var firstFrameHostTime: MediaTime?
    /// The offset between audio and video.
    public var synchronisation = Synchronisation()
    /// The failures of the audio devices, as counters.
    public var audio = Audio()
    /// The time that the decoding thread spends on a frame of the current item, without waiting for space in the queue.
    public var decodeTimes = Histogram()
    /// The time from passing a frame to the display server until it is visible; empty if the display server does not
    /// report it. An X server with the Present extension reports it.
    public var presentTimes = Histogram()
    /// The moves of the picture between layer and Picture-in-Picture, in order.
    public var handoffs: [Handoff] = []
    /// The id of the frame that was shown most recently.
    public var lastFrameID: UInt64 = 0

    /// The offset between audio and video.
    public struct Synchronisation: Sendable, Equatable {
        /// Audio minus video time at the last frame shown, in seconds; positive if audio is ahead.
        public var offset = 0.0
        /// The largest magnitude of ``offset`` after the first 60 frames, in seconds.
        public var largestOffset = 0.0

        /// The number of frames after which playback counts as settled.
        private static let settlingFrameCount = 60

        /// Creates statistics without measurements.
        public init() {}

        /// Adds a measurement of the offset between audio and video.
        ///
        /// - Parameters:
        ///   - offset: Audio minus video time, in seconds.
        ///   - frameCount: The number of frames shown so far.
        mutating func record(_ offset: Double, afterFrames frameCount: Int) {
            self.offset = offset
            if frameCount > Self.settlingFrameCount { largestOffset = max(largestOffset, abs(offset)) }
        }
    }

    /// The failures of the audio devices so far, as counters.
    public struct Audio: Sendable, Equatable {
        /// The number of interruptions because samples arrived too late.
        public var underruns = 0
        /// The number of failures from which a device recovered without being reopened.
        public var recoveries = 0
        /// The number of times that an audio device was lost.
        public var losses = 0
        /// The number of attempts to reopen a lost device.
        public var attempts = 0
        /// The number of times a lost device was reopened and plays again.
        public var returns = 0

        /// Creates statistics in which all counters are 0.
        public init() {}
    }

    /// A move of the picture between layer and Picture-in-Picture.
    public struct Handoff: Sendable {
        /// The direction of a move of the picture.
        public enum Direction: String, Sendable {
            /// From the layer to Picture-in-Picture.
            case toPictureInPicture = "start"
            /// From Picture-in-Picture back to the layer.
            case toLayer = "stop"
            /// Back to the layer because the compositor was lost.
            case lost
        }
        /// The direction of the move.
        public let direction: Direction
        /// The host time (CLOCK_MONOTONIC), in seconds, at which the move was requested.
        public let requested: Double
        /// The host time (CLOCK_MONOTONIC), in seconds, at which the new destination had shown a frame.
        public let completed: Double
        /// The id of the first frame that the new destination showed.
        public let frame: UInt64

        /// Creates the record of a move of the picture; times are host times in seconds.
        package init(direction: Direction, requested: Double, completed: Double, frame: UInt64) {
            self.direction = direction
            self.requested = requested
            self.completed = completed
            self.frame = frame
        }
    }

    /// Creates statistics in which all counters are 0.
    public init() {}
}
