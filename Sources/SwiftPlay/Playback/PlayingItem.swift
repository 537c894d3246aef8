import MediaPipeline
import SharedFrames

/// An item with its open source: the current one, or the one that follows.
struct PlayingItem {
    let item: PlayerItem
    let source: MediaSource
    var info: MediaInfo?
    var generation: UInt32 = 0
    /// Of the sound, which may be changed alone; and the last one that was given to anything.
    var soundGeneration: UInt32 = 0
    var lastGeneration: UInt32 = 0
    /// What plays, by the tracks' names; and another choice waits to be made.
    var selected = SelectedTracks.none
    var wantsOtherTracks = false
    var presenter: SubtitlePresenter?
    var phase = PlaybackPhase.opening
    /// Where playing begins, while that has not been sought yet; media nanoseconds.
    var startTime: Int64?
    var audio = AudioProgress.absent
    var videoHasEnded = false
    /// End of the last frame shown, media nanoseconds.
    var pictureEnd: Int64 = 0
    var lastFrame: VideoFrame?
    /// The picture was stepped by hand: the sound must be lined up before playing.
    var needsResync = false
    var hasReportedEnd = false
    /// A track that gave up before the item's facts were known.
    var failedEarly: (MediaEvent.Track, MediaError)?
    /// Told once there is a picture or sound.
    var heldWarning: String?
    /// Media time at which the present run began.
    var start: Int64?
    /// The feed of an item that was opened ahead, once the audio path has joined it to that of the current item.
    var joinedFeed: AudioProgress.Feed?
    var isJoined: Bool { joinedFeed != nil }
    /// Opened ahead, its sound is brought into the form of the device as that is open now.
    var soundFits = false
    /// Playing stopped for want of something to play.
    var isStalled = false
    var stalledAt: Int64 = 0
    /// Why reading stopped before the end, if it did.
    var readError: MediaError?
    /// Opened ahead, it could not be.
    var openError: MediaError?

    /// The source is open.
    mutating func opened(_ facts: MediaInfo, output: AudioProgress.Output) {
        info = facts
        phase = .priming
        videoHasEnded = facts.video == nil
        audio = AudioProgress(hasTrack: facts.audio != nil, output: output)
        report { state in
            state.info = facts
            state.status = .readyToPlay
        }
    }

    /// Changes what the item shows, unless another player has opened it since.
    ///
    /// - Returns: nil where nothing was changed.
    @discardableResult
    func report<Result>(_ change: (inout PlayerItem.State) -> Result) -> Result? {
        item.state.withLock { $0.source === source ? change(&$0) : nil }
    }

    /// As ``report(_:)``, of the item's tracks.
    @discardableResult
    func reportTracks<Result>(_ change: (inout SelectionState) -> Result) -> Result? {
        item.selection.withLock { $0.source === source ? change(&$0) : nil }
    }

    /// Those of the item; none when another player has opened it since.
    var outputs: [PlayerItemVideoOutput] { report { $0.outputs } ?? [] }

    /// How long before the picture sound may begin to be heard from its start, nanoseconds. More is taken for wrong stamps.
    private static let longestPrelude: Int64 = 60_000_000_000

    /// Where playing begins if nothing was sought: with the item's start where sound comes before the first frame, else with that.
    func beginning(with frame: VideoFrame) -> Int64 {
        return audio != .absent && frame.presentationTime < Self.longestPrelude ? min(frame.presentationTime, 0) : frame.presentationTime
    }
}

/// How far an item is on its way to being played.
enum PlaybackPhase: Hashable {
    case opening
    /// Waiting for the first frame (and sound) after opening or a seek.
    case priming
    /// The first frame is on screen; waiting for the rest that playing needs.
    case ready
    case playing
    case failed
}
