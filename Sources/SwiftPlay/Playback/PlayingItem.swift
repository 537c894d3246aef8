import MediaPipeline
import SharedFrames
import SystemCalls

/// An item with its open source: the current or the next item.
struct PlayingItem {
    let playerItem: PlayerItem
    /// Reads and decodes the item.
    let source: any MediaSource
    /// Whether the item is a file of this computer, which another source can open again without disturbing this one.
    var isLocalFile = false
    /// The media information that the source has reported; nil until the source is open.
    var info: MediaInfo?
    /// The phase of the item: opening, waiting for media, ready, playing or failed.
    var phase = PlaybackPhase.opening
    /// The numbers of the newest seek and audio track change, by which obsolete frames and audio blocks are recognised.
    var generations = MediaGenerations()
    /// The selected tracks.
    var trackSelection = TrackSelection()
    /// Draws the subtitles; created when a subtitle track is first selected.
    var subtitles: ItemSubtitles?
    /// The progress of the item's audio from the source to the device.
    var audio = AudioProgress.disconnected
    /// The last frame that was shown, and whether more frames follow.
    var video = VideoProgress()
    /// The state since the item was opened or since the last seek.
    var stateSinceSeek = StateSinceSeek()
    /// The item's problems that are not reported to the program yet.
    var pendingProblems = PendingProblems()
    /// Whether the user had set a rotation or an aspect ratio when the item was opened. The size of the picture is then
    /// unknown until its first frame.
    var isTransformed = false
    /// The state of an item that was opened before it became the current item.
    var preloadState = PreloadState()

    /// Connects ``playerItem`` with its opened ``source``. Has no effect if the program has given the item to another
    /// player than `player`, because that player may have connected the item with a source of its own.
    ///
    /// - Parameter onTrackRequest: Called when the program requests a change of the tracks.
    mutating func attach(for player: any PlayerItemOwner, onTrackRequest: @escaping @Sendable () -> Void) {
        preloadState.startTime = playerItem.state.withLock { state in
            // Without an owner, the item may return to `player`, which then does not open it again.
            guard state.owner == nil || state.owner === player else { return nil }
            if let oldSource = state.source { _ = state.log.update(oldSource.downloads) }
            state.source = source
            state.log.recordOpening(at: MonotonicTime.now)
            playerItem.selection.withLock { selection in
                (selection.source, selection.subtitles, selection.onChange) = (source, nil, onTrackRequest)
            }
            return state.start.flatMap { $0 > 0 ? $0 : nil }
        }
    }

    /// Records that the source is open. Call ``publishReadiness(_:)`` afterwards.
    mutating func didOpen(_ newInfo: MediaInfo, output: AudioProgress.Output) {
        info = newInfo
        phase = .priming
        video.restart(hasTrack: newInfo.video != nil)
        audio = AudioProgress(hasTrack: newInfo.audio != nil, output: output)
        if newInfo.video == nil, newInfo.start > 0 { stateSinceSeek.startTime = newInfo.start }
    }

    /// Publishes the tracks, and then that the item is ready. The tracks of the current item that play are published
    /// before, so that a program that sees a ready item finds them, too.
    func publishReadiness(_ newInfo: MediaInfo) {
        updateItemSelection { $0.tracks = newInfo.tracks }
        updateItemState { state in
            state.info = newInfo
            state.status = .readyToPlay
            state.log.recordReadiness(at: MonotonicTime.now)
        }
        if let size = newInfo.video?.displaySize, !isTransformed { _ = updatePresentationSize(size) }
        playerItem.asset.provide(newInfo)
    }

    /// Updates the item's state, unless another player has opened the item since.
    ///
    /// - Returns: The result of `change`; nil if the item was not changed.
    @discardableResult
    func updateItemState<Result>(_ change: (inout PlayerItem.State) -> Result) -> Result? {
        playerItem.state.withLock { $0.source === source ? change(&$0) : nil }
    }

    /// Updates the item's presentation size.
    ///
    /// - Returns: Whether the size has changed.
    func updatePresentationSize(_ size: PixelSize) -> Bool {
        updateItemState { state in
            let oldSize = state.presentationSize
            state.presentationSize = VideoSize(width: size.width, height: size.height)
            return state.presentationSize != oldSize
        } ?? false
    }

    /// Updates the item's track selection, unless another player has opened the item since.
    @discardableResult
    func updateItemSelection<Result>(_ change: (inout SelectionState) -> Result) -> Result? {
        playerItem.selection.withLock { $0.source === source ? change(&$0) : nil }
    }

    /// The item's video outputs; empty if another player has opened the item since.
    var outputs: [PlayerItemVideoOutput] { updateItemState { $0.outputs } ?? [] }

    /// The longest time by which audio may precede the first video frame, in nanoseconds. A larger difference indicates
    /// wrong timestamps.
    private static let longestAudioLead: Int64 = 60_000_000_000

    /// Returns the media time at which playback starts without a seek: the item's start if audio precedes the first
    /// frame, else the first frame's time.
    func startTime(with frame: VideoFrame) -> Int64 {
        let start = info?.start ?? 0
        return audio != .disconnected && frame.presentationTime - start < Self.longestAudioLead
            ? min(frame.presentationTime, start) : frame.presentationTime
    }

    /// The time by which the first frame after a seek in a live stream may be later than the target before the target
    /// counts as removed from the stream, in nanoseconds.
    private static let removalThreshold: Int64 = 500_000_000

    /// Returns whether the server has removed a seek's target from a live stream: `frame`, the first frame after the
    /// seek, is later than the target `time`.
    func isSeekTargetRemoved(_ time: Int64, before frame: VideoFrame) -> Bool {
        source.segmentWindow?.playlist.isComplete == false && frame.presentationTime - time > Self.removalThreshold
    }
}
