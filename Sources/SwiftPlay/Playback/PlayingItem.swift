import MediaPipeline
import SharedFrames

/// An item with its open source: the current or the next item.
struct PlayingItem {
    let item: PlayerItem
    let source: any MediaSource
    /// The media information that the source has reported; nil until the source is open.
    var info: MediaInfo?
    var phase = PlaybackPhase.opening
    var generations = FeedGenerations()
    var tracks = TrackSelection()
    /// Draws the subtitles; created when a subtitle track is first selected.
    var subtitles: SubtitlePresenter?
    var audio = AudioProgress.absent
    var video = VideoProgress()
    var run = PlaybackRun()
    var problems = PendingProblems()
    /// The state of an item that was opened in advance of its turn.
    var ahead = OpenedAhead()

    /// Records that the source is open.
    mutating func opened(_ facts: MediaInfo, output: AudioProgress.Output) {
        info = facts
        phase = .priming
        video.restart(hasTrack: facts.video != nil)
        audio = AudioProgress(hasTrack: facts.audio != nil, output: output)
        report { state in
            state.info = facts
            state.status = .readyToPlay
        }
        if let size = facts.video?.displaySize { _ = report(size) }
        item.asset.provide(facts)
    }

    /// Updates the item's state, unless another player has opened the item since.
    ///
    /// - Returns: The result of `change`; nil if the item was not changed.
    @discardableResult
    func report<Result>(_ change: (inout PlayerItem.State) -> Result) -> Result? {
        item.state.withLock { $0.source === source ? change(&$0) : nil }
    }

    /// Updates the item's presentation size.
    ///
    /// - Returns: Whether the size has changed.
    func report(_ size: PixelSize) -> Bool {
        report { state in
            let old = state.presentationSize
            state.presentationSize = VideoSize(width: size.width, height: size.height)
            return state.presentationSize != old
        } ?? false
    }

    /// Updates the item's track selection, under the same condition as ``report(_:)``.
    @discardableResult
    func reportTracks<Result>(_ change: (inout SelectionState) -> Result) -> Result? {
        item.selection.withLock { $0.source === source ? change(&$0) : nil }
    }

    /// The item's video outputs; empty if another player has opened the item since.
    var outputs: [PlayerItemVideoOutput] { report { $0.outputs } ?? [] }

    /// The longest time by which audio may precede the first frame, nanoseconds. A larger difference indicates wrong
    /// timestamps.
    private static let longestPrelude: Int64 = 60_000_000_000

    /// Returns the start of playback without a seek: the item's start if audio precedes the first frame, else the first
    /// frame's time.
    func beginning(with frame: VideoFrame) -> Int64 {
        return audio != .absent && frame.presentationTime < Self.longestPrelude
            ? min(frame.presentationTime, 0) : frame.presentationTime
    }
}
