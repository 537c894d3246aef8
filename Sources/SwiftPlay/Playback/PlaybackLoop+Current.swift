import MediaPipeline
import SharedFrames

extension PlaybackLoop {
    /// An item on its way.
    struct Current {
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
        var phase = Phase.opening
        var seek: PlayerCore.SeekCommand?
        /// Waits until the picture of the seek before it is shown, or until then.
        var queuedSeek: PlayerCore.SeekCommand?
        var pictureDeadline: Int64?
        /// Sound is expected, and the number of its feed; 0: none.
        var hasSound = false
        /// Sound is decoded to its end and goes nowhere.
        var soundIsUnheard = false
        var soundFeed: UInt32 = 0
        /// What it was stretched for.
        var soundSpeed = 1.0
        var soundIsPrimed = false
        var soundHasEnded = false
        var videoHasEnded = false
        /// Asked for after this the picture starts without the sound (a device that does not open).
        var soundDeadline: Int64 = .max
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
        /// Opened ahead, its sound follows that of the current item.
        var isJoined = false
        /// Opened ahead, its sound is brought into the form of the device as that is open now.
        var soundFits = false
        /// Playing stopped for want of something to play.
        var isStalled = false
        var stalledAt: Int64 = 0
        /// Why reading stopped before the end, if it did.
        var readError: MediaError?
        /// Opened ahead, it could not be.
        var openError: MediaError?

        /// Its facts are known.
        ///
        /// - Parameter soundIsWanted: nil: sound is decoded and goes nowhere; false: it was wanted, and there is no device for it.
        mutating func opened(_ facts: MediaInfo, soundIsWanted: Bool?) {
            info = facts
            phase = .priming
            videoHasEnded = facts.video == nil
            hasSound = facts.audio != nil && soundIsWanted == true
            soundIsUnheard = facts.audio != nil && soundIsWanted == nil
            soundHasEnded = !hasSound && !soundIsUnheard
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
            let hasPrelude = hasSound || soundIsUnheard
            return hasPrelude && frame.presentationTime < Self.longestPrelude ? min(frame.presentationTime, 0) : frame.presentationTime
        }
    }

    enum Phase: Equatable {
        case opening
        /// Waiting for the first frame (and sound) after opening or a seek.
        case priming
        /// The first frame is on screen; waiting for the rest that playing needs.
        case ready
        case playing
        case failed
    }
}
