import MediaPipeline
import SharedFrames

/// An item with its open source: the current one, or the one that follows.
struct PlayingItem {
    let item: PlayerItem
    let source: any MediaSource
    /// What the source has reported of itself; nil until it is open.
    var info: MediaInfo?
    var phase = PlaybackPhase.opening
    var generations = FeedGenerations()
    var tracks = TrackSelection()
    /// Draws the subtitles, once a subtitle track was selected.
    var subtitles: SubtitlePresenter?
    var audio = AudioProgress.absent
    var video = VideoProgress()
    var run = PlaybackRun()
    var problems = PendingProblems()
    /// What holds only while the item is opened ahead of its turn.
    var ahead = OpenedAhead()

    /// The source is open.
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

    /// Changes what the item shows, unless another player has opened it since.
    ///
    /// - Returns: nil where nothing was changed.
    @discardableResult
    func report<Result>(_ change: (inout PlayerItem.State) -> Result) -> Result? {
        item.state.withLock { $0.source === source ? change(&$0) : nil }
    }

    /// Updates the item's presentation size.
    ///
    /// - Returns: whether it is another one now.
    func report(_ size: PixelSize) -> Bool {
        report { state in
            let old = state.presentationSize
            state.presentationSize = VideoSize(width: size.width, height: size.height)
            return state.presentationSize != old
        } ?? false
    }

    /// As ``report(_:)``, of the item's tracks.
    @discardableResult
    func reportTracks<Result>(_ change: (inout SelectionState) -> Result) -> Result? {
        item.selection.withLock { $0.source === source ? change(&$0) : nil }
    }

    /// Those of the item; none when another player has opened it since.
    var outputs: [PlayerItemVideoOutput] { report { $0.outputs } ?? [] }

    /// How long before the picture sound may begin to be heard from its start, nanoseconds. More is taken for wrong
    /// stamps.
    private static let longestPrelude: Int64 = 60_000_000_000

    /// Where playing begins if nothing was sought: with the item's start where sound comes before the first frame, else
    /// with that.
    func beginning(with frame: VideoFrame) -> Int64 {
        return audio != .absent && frame.presentationTime < Self.longestPrelude
            ? min(frame.presentationTime, 0) : frame.presentationTime
    }
}
