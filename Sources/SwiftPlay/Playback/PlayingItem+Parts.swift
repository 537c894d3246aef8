import MediaPipeline
import SharedFrames

/// The numbers that distinguish frames and audio of the newest seek from older ones: a pure value.
struct FeedGenerations: Hashable, Sendable {
    private(set) var picture: UInt32 = 0
    /// The audio has its own number, because the audio track may change without a seek.
    private(set) var audio: UInt32 = 0
    private var last: UInt32 = 0

    /// The number of the next audio track, if it can be selected: see ``beginAudio(_:)``.
    var next: UInt32 { last &+ 1 }

    /// Handles the start of a seek.
    mutating func begin() {
        last = next
        (picture, audio) = (last, last)
    }

    /// Handles a change of the audio track.
    mutating func beginAudio(_ generation: UInt32) { (last, audio) = (generation, generation) }
}

/// The progress of an item's video: a pure value.
struct VideoProgress: Sendable {
    /// Whether all frames have been taken.
    var hasEnded = false
    /// The end of the last frame shown or dropped, media nanoseconds.
    private var end: Int64 = 0
    private(set) var lastFrame: VideoFrame?
    /// Whether the program stepped by frames: audio must be aligned before playback.
    var isStepped = false

    /// Handles opening or the start of a seek. The last frame stays visible.
    mutating func restart(hasTrack: Bool) { (hasEnded, isStepped) = (!hasTrack, false) }

    /// The end of the last frame shown or dropped, media nanoseconds; nil until a frame is shown.
    var shownEnd: Int64? { lastFrame == nil ? nil : end }

    mutating func shown(_ frame: VideoFrame) { (lastFrame, end) = (frame, frame.presentationTime + frame.duration) }

    /// Records a dropped frame: its time counts as shown.
    mutating func passed(_ frame: VideoFrame) { end = frame.presentationTime + frame.duration }

    /// Handles the deselection of the video track.
    mutating func removePicture() { lastFrame = nil }
}

/// State since an item was opened or last sought: a pure value.
struct PlaybackRun: Sendable {
    /// Media time of the start; nil until the first frame is known.
    var start: Int64?
    /// Host time at which playback stalled because data arrived too slowly; nil if not stalled.
    var stalledAt: Int64?
    var hasReportedEnd = false
    /// The error that stopped reading before the end.
    var readError: MediaError?
}

/// Problems that are reported once their severity is known.
struct PendingProblems: Sendable {
    /// A track that failed before the source was open.
    var failedTrack: (track: MediaEvent.Track, error: MediaError)?
    /// A warning that is reported once a picture or audio is available.
    var warning: String?
}

/// The state of an item that was opened in advance.
struct OpenedAhead: Sendable {
    /// The start of playback that has not been sought yet, media nanoseconds.
    var startTime: Int64?
    /// Whether the item's audio is decoded into the open device's format.
    var audioFits = false
    /// The item's feed, once the audio path has joined it to that of the current item.
    var joinedFeed: AudioProgress.Feed?
    /// The error that prevented opening.
    var error: MediaError?

    var isJoined: Bool { joinedFeed != nil }
}
