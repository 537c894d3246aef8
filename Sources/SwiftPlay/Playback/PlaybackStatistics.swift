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
    /// Host seconds (CLOCK_MONOTONIC) at which the first frame was given to the output.
    public var firstFrameHostTime: Double?
    /// Sound minus picture at the last frame shown, seconds; positive: the sound is ahead.
    public var audioVideoOffset = 0.0
    /// The largest of its magnitudes after the first second.
    public var largestAudioVideoOffset = 0.0
    /// Interruptions of the sound since samples came too late.
    public var audioUnderruns = 0
    /// How often the sound device worked again after a failure, without being opened anew.
    public var audioRecoveries = 0
    /// How often the sound device was lost, how often it was opened anew for that, and how often that worked.
    public var audioLosses = 0, audioTries = 0, audioReturns = 0
    /// What a frame of the present item cost the decoding thread, waiting for room left out.
    public var decodeTimes = Histogram()
    /// From giving a frame to the display to its being on screen; empty where the display does not tell (X Present does).
    public var presentTimes = Histogram()
    /// Picture handoffs, in order.
    public var handoffs: [Handoff] = []
    /// ``VideoFrame``'s number of the last frame shown.
    public var lastFrameID: UInt64 = 0

    /// One change of the place where frames are shown.
    public struct Handoff: Sendable {
        public enum Direction: String, Sendable { case toPictureInPicture = "start", toLayer = "stop", lost }
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
