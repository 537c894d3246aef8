import MediaPipeline
import SharedFrames

/// The numbers by which frames and audio blocks of older seeks are recognised and discarded: a pure value.
struct MediaGenerations: Hashable, Sendable {
    /// The number of the newest seek. The video frames that are decoded after that seek carry it.
    private(set) var video: UInt32 = 0
    /// The number of the newest seek or change of the audio track. The audio blocks that are decoded after it carry it.
    private(set) var audio: UInt32 = 0
    /// The number of the newest seek or change of the audio track; the next one gets a higher number.
    private var lastGeneration: UInt32 = 0

    /// The number that the next seek or change of the audio track gets.
    var nextGeneration: UInt32 { lastGeneration &+ 1 }

    /// Handles the start of a seek: frames and audio get a new number.
    mutating func beginSeek() {
        lastGeneration = nextGeneration
        (video, audio) = (lastGeneration, lastGeneration)
    }

    /// Handles a change of the audio track. `generation` is the change's number, taken from ``nextGeneration``.
    mutating func beginAudioTrack(_ generation: UInt32) { (lastGeneration, audio) = (generation, generation) }
}

/// The progress of an item's video: a pure value.
struct VideoProgress: Sendable {
    /// Whether the player has taken all frames of the item from the decoder's queue.
    var hasEnded = false
    /// The end of the last frame shown or dropped, in nanoseconds of media time.
    private var endTime: Int64 = 0
    /// The last frame shown; nil until a frame is shown.
    private(set) var lastFrame: VideoFrame?
    /// Whether the program stepped by frames since the last seek: audio must be aligned before playback.
    var wasStepped = false

    /// Handles opening or the start of a seek. The last frame stays visible.
    mutating func restart(hasTrack: Bool) { (hasEnded, wasStepped) = (!hasTrack, false) }

    /// The end of the last frame shown or dropped, in nanoseconds of media time; nil until a frame is shown.
    var lastFrameEndTime: Int64? { lastFrame == nil ? nil : endTime }

    /// Records a frame that is visible.
    mutating func didShow(_ frame: VideoFrame) {
        (lastFrame, endTime) = (frame, frame.presentationTime + frame.duration)
    }

    /// Records that a frame was dropped. The end of the dropped frame becomes the end of the video played so far.
    mutating func didDrop(_ frame: VideoFrame) { endTime = frame.presentationTime + frame.duration }

    /// Handles the deselection of the video track.
    mutating func removeLastFrame() { lastFrame = nil }
}

/// The state since an item was opened or since the last seek in it: a pure value.
struct StateSinceSeek: Sendable {
    /// The media time at which playback starts; nil until the first frame is known.
    var startTime: Int64?
    /// The host time at which playback stalled because data arrived too slowly; nil if not stalled.
    var stallHostTime: Int64?
    /// Whether the item's end was reported to observers.
    var hasReportedEnd = false
    /// The error that stopped reading before the item's end.
    var readError: MediaError?
    /// The media time at which a live stream continues, because its server has removed the part that would be played
    /// next; nil if no part was removed.
    var liveRejoinPosition: Int64?
}

/// Problems of an item that are reported to the program once it is known whether the item can play.
struct PendingProblems: Sendable {
    /// A track that failed before the source was open.
    var failedTrack: (track: MediaEvent.Track, error: MediaError)?
    /// A warning that is reported once a picture or audio is available.
    var warning: String?
}

/// The state of an item that was opened in advance.
struct PreloadState: Sendable {
    /// The media time at which the item must start, in nanoseconds; nil once the seek to that time has begun.
    var startTime: Int64?
    /// Whether the item's audio is decoded into the open device's format.
    var audioMatchesDeviceFormat = false
    /// The number and speed of the item's audio that was appended to the current item's audio; nil if none was.
    var appendedAudio: AudioProgress.AcceptedAudio?
    /// The error that prevented opening the item; nil if there was none.
    var error: MediaError?

    /// Whether the item's audio follows the current item's audio in the device's stream.
    var isAudioAppended: Bool { appendedAudio != nil }
}
