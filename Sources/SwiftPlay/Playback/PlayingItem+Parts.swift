import MediaPipeline
import SharedFrames

/// The numbers that distinguish frames and audio of the newest seek from those of older seeks: a pure value.
struct MediaGenerations: Hashable, Sendable {
    /// The number of the newest seek, which its frames carry.
    private(set) var picture: UInt32 = 0
    /// The number of the newest seek or change of the audio track, which its audio blocks carry.
    private(set) var audio: UInt32 = 0
    /// The highest number that a seek or track change has got so far.
    private var lastGeneration: UInt32 = 0

    /// The number that the next seek or change of the audio track gets.
    var next: UInt32 { lastGeneration &+ 1 }

    /// Handles the start of a seek: frames and audio get a new number.
    mutating func begin() {
        lastGeneration = next
        (picture, audio) = (lastGeneration, lastGeneration)
    }

    /// Handles a change of the audio track, which has the number `generation`.
    mutating func beginAudio(_ generation: UInt32) { (lastGeneration, audio) = (generation, generation) }
}

/// The progress of an item's video: a pure value.
struct VideoProgress: Sendable {
    /// Whether the player has taken all frames of the item from the decoder's queue.
    var hasEnded = false
    /// The end of the last frame shown or dropped, media nanoseconds.
    private var endTime: Int64 = 0
    /// The last frame shown; nil until a frame is shown.
    private(set) var lastFrame: VideoFrame?
    /// Whether the program stepped by frames since the last seek: audio must be aligned before playback.
    var wasStepped = false

    /// Handles opening or the start of a seek. The last frame stays visible.
    mutating func restart(hasTrack: Bool) { (hasEnded, wasStepped) = (!hasTrack, false) }

    /// The end of the last frame shown or dropped, media nanoseconds; nil until a frame is shown.
    var lastFrameEndTime: Int64? { lastFrame == nil ? nil : endTime }

    /// Records a frame that is visible.
    mutating func shown(_ frame: VideoFrame) { (lastFrame, endTime) = (frame, frame.presentationTime + frame.duration) }

    /// Records a dropped frame: its time counts as shown.
    mutating func didDrop(_ frame: VideoFrame) { endTime = frame.presentationTime + frame.duration }

    /// Handles the deselection of the video track.
    mutating func removePicture() { lastFrame = nil }
}

/// The state since an item was opened or since the last seek in it: a pure value.
struct PlaybackRun: Sendable {
    /// Media time at which playback starts; nil until the first frame is known.
    var start: Int64?
    /// Host time at which playback stalled because data arrived too slowly; nil if not stalled.
    var stalledAt: Int64?
    /// Whether the item's end was reported to observers.
    var hasReportedEnd = false
    /// The error that stopped reading before the item's end.
    var readError: MediaError?
    /// The position at which a live stream continues after the server has removed the part in between; nil if no part
    /// was removed.
    var liveRejoinPosition: Int64?
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
    /// The item's start time, until the seek to it begins, media nanoseconds.
    var startTime: Int64?
    /// Whether the item's audio is decoded into the open device's format.
    var audioMatchesDeviceFormat = false
    /// The item's audio, once the audio pipeline has appended it to the current item's audio.
    var appendedAudio: AudioProgress.AcceptedAudio?
    /// The error that prevented opening the item; nil if there was none.
    var error: MediaError?

    /// Whether the item's audio follows the current item's audio in the device's stream.
    var isJoined: Bool { appendedAudio != nil }
}
