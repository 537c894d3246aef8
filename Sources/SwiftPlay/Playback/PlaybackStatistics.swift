/// What a player did with its frames so far. Counts since the player was made.
public struct PlaybackStatistics: Sendable {
    public var framesDecoded = 0
    public var framesPresented = 0
    /// Decoded and not shown since their time had passed.
    public var framesDropped = 0
    /// Shown more than 8 ms after their time.
    public var framesLate = 0
    /// Shown once more since nothing newer was there: drawn again for a new size or place.
    public var framesRepeated = 0
    /// The host time (``Timebase/hostTime``) at which the first frame was given to the output; nil before that.
    public var firstFrameHostTime: MediaTime?
    /// How far apart sound and picture are.
    public var synchronisation = Synchronisation()
    /// What became of the audio devices.
    public var audio = Audio()
    /// What a frame of the present item cost the decoding thread, waiting for room left out.
    public var decodeTimes = Histogram()
    /// From giving a frame to the display to its being on screen; empty where the display does not tell (X Present
    /// does).
    public var presentTimes = Histogram()
    /// Picture handoffs, in order.
    public var handoffs: [Handoff] = []
    /// ``VideoFrame``'s number of the last frame shown.
    public var lastFrameID: UInt64 = 0

    /// How far apart sound and picture are.
    public struct Synchronisation: Sendable, Equatable {
        /// Sound minus picture at the last frame shown, seconds; positive: the sound is ahead.
        public var offset = 0.0
        /// The largest magnitude of ``offset`` after the first second, seconds.
        public var largestOffset = 0.0

        /// Frames after which a playback counts as settled.
        private static let settledAfter = 60

        public init() {}

        /// Takes in a measurement.
        ///
        /// - Parameters:
        ///   - offset: sound minus picture, seconds.
        ///   - frames: frames shown so far.
        mutating func record(_ offset: Double, afterFrames frames: Int) {
            self.offset = offset
            if frames > Self.settledAfter { largestOffset = max(largestOffset, abs(offset)) }
        }
    }

    /// What became of the audio devices so far.
    public struct Audio: Sendable, Equatable {
        /// Interruptions of the sound because samples came too late.
        public var underruns = 0
        /// How often a device worked again after a failure, without being opened anew.
        public var recoveries = 0
        /// How often a device was lost.
        public var losses = 0
        /// How often a lost device was opened anew.
        public var tries = 0
        /// How often a lost device plays again.
        public var returns = 0

        public init() {}
    }

    /// One change of the place where frames are shown.
    public struct Handoff: Sendable {
        public enum Direction: String, Sendable {
            case toPictureInPicture = "start"
            case toLayer = "stop"
            case lost
        }
        public let direction: Direction
        /// Host seconds at which it was asked for, and at which the new place had shown a frame.
        public let requested: Double
        public let completed: Double
        /// Number of the first frame shown at the new place.
        public let frame: UInt64

        package init(direction: Direction, requested: Double, completed: Double, frame: UInt64) {
            self.direction = direction
            self.requested = requested
            self.completed = completed
            self.frame = frame
        }
    }

    public init() {}
}
