import MediaPipeline
import SharedFrames

/// The numbers that tell frames and audio of the newest seek from older ones: a pure value.
struct FeedGenerations: Hashable, Sendable {
    private(set) var picture: UInt32 = 0
    /// The audio's own: another audio track begins without a seek.
    private(set) var audio: UInt32 = 0
    private var last: UInt32 = 0

    /// The number of the next audio track, if it can be chosen: see ``beginAudio(_:)``.
    var next: UInt32 { last &+ 1 }

    /// A seek begins.
    mutating func begin() {
        last = next
        (picture, audio) = (last, last)
    }

    /// Another audio track begins.
    mutating func beginAudio(_ generation: UInt32) { (last, audio) = (generation, generation) }
}

/// How far an item's picture is: a pure value.
struct VideoProgress: Sendable {
    /// Whether no more frames are to come.
    var hasEnded = false
    /// The end of the last frame shown or left out, media nanoseconds.
    private var end: Int64 = 0
    private(set) var lastFrame: VideoFrame?
    /// Whether the picture was stepped by hand: audio has to be lined up before playing.
    var isStepped = false

    /// The item was opened, or a seek begins. The last frame stays on screen.
    mutating func restart(hasTrack: Bool) { (hasEnded, isStepped) = (!hasTrack, false) }

    /// The end of the last frame shown or left out, media nanoseconds; nil while no frame was shown.
    var shownEnd: Int64? { lastFrame == nil ? nil : end }

    mutating func shown(_ frame: VideoFrame) { (lastFrame, end) = (frame, frame.presentationTime + frame.duration) }

    /// A frame was left out: its time counts as seen.
    mutating func passed(_ frame: VideoFrame) { end = frame.presentationTime + frame.duration }

    /// No video track plays any longer.
    mutating func removePicture() { lastFrame = nil }
}

/// What holds of an item since it was opened, or since its last seek: a pure value.
struct PlaybackRun: Sendable {
    /// Media time at which the run began; nil until the first frame is known.
    var start: Int64?
    /// Host time at which playing stopped because data came too slowly; nil while it has not.
    var stalledAt: Int64?
    var hasReportedEnd = false
    /// Why reading stopped before the end.
    var readError: MediaError?
}

/// Problems that are reported when it is known how bad they are.
struct PendingProblems: Sendable {
    /// A track that failed before the source was open.
    var failedTrack: (track: MediaEvent.Track, error: MediaError)?
    /// A warning that is given once there is a picture or audio.
    var warning: String?
}

/// How far an item is that was opened ahead of its turn.
struct OpenedAhead: Sendable {
    /// Where playing begins, while that has not been sought; media nanoseconds.
    var startTime: Int64?
    /// Whether the item's audio is decoded into the format in which the device is open.
    var audioFits = false
    /// The item's feed, once the audio path has joined it to that of the current item.
    var joinedFeed: AudioProgress.Feed?
    /// Why the item could not be opened.
    var error: MediaError?

    var isJoined: Bool { joinedFeed != nil }
}
