import Dispatch
import FoundationEssentials
import MediaPipeline
import SystemCalls

/// A file or address that a player plays (AVPlayerItem). Safe to use from any thread.
///
/// An item belongs to at most one player at a time. It can be given to another player once it is neither the current
/// item of the first player nor in its queue.
public final class PlayerItem: Sendable {
    /// Whether the item can be played (AVPlayerItem.Status).
    public enum Status: Int, Sendable {
        /// The item was not opened yet.
        case unknown = 0
        /// The item was opened and can be played.
        case readyToPlay
        /// The item cannot be played: see ``PlayerItem/error``.
        case failed
    }

    /// The mutable part of the item. Both the program's threads and the player's threads use this state.
    struct State {
        /// See ``PlayerItem/status``.
        var status = Status.unknown
        /// See ``PlayerItem/error``.
        var error: PlaybackError?
        /// The properties of the opened file; nil until the item is ready.
        var info: MediaInfo?
        /// See ``PlayerItem/presentationSize``.
        var presentationSize = VideoSize.zero
        /// The player whose current item this is, or whose queue contains it.
        weak var owner: (any PlayerItemOwner)?
        /// The start of playback that the program set, in nanoseconds; nil for the item's own start.
        var start: Int64?
        /// The end of playback that the program set, in nanoseconds; nil for the item's own end.
        var end: Int64?
        /// Tags that the program set, which take precedence over the container's tags.
        var externalMetadata: [MetadataItem] = []
        /// See ``PlayerItem/audioTimePitchAlgorithm``.
        var pitch = AudioTimePitchAlgorithm.timeDomain
        /// The video outputs that the program has attached to the item.
        var outputs: [PlayerItemVideoOutput] = []
        /// The source from which the item's player reads the item. A former player may still be closing its own source,
        /// which no longer changes this state.
        var source: (any MediaSource)?
        /// See ``PlayerItem/preferredPeakBitRate``, ``PlayerItem/preferredMaximumResolution`` and
        /// ``PlayerItem/preferredVariant``, which is stored as its playlist index.
        var preferences = (peakBitRate: 0.0, maximumResolution: VideoSize.zero, variantIndex: Int?.none)
        /// The settings for live streams and for reading ahead.
        var readingPreferences = ReadingPreferences()
        /// The access log and the error log.
        var log = PlaybackLog()
    }

    /// The file or address (AVPlayerItem.asset). Its properties can be loaded without a player. Several items can share
    /// one asset.
    public let asset: Asset
    /// A path, or an http or https address. A path that is not UTF-8 is a `file:` URL with percent-encoded bytes.
    public var location: String { asset.location }
    /// The last component of ``location`` as text for people.
    package var displayedName: String { MediaLocation.displayedName(location) }
    /// The path or address as text for people.
    package var displayedLocation: String { asset.displayedLocation }
    let state = Monitor(State())
    /// The selected tracks and the settings of the selection.
    let selection = Monitor(SelectionState())

    /// Creates an item for an asset, which other items can share (AVPlayerItem.init(asset:)).
    ///
    /// - Parameter asset: The asset.
    public init(asset: Asset) { self.asset = asset }

    /// Creates an item for a path, an http or https address, or standard input.
    ///
    /// - Parameter location: A path, a file URL, an http or https address, or `-` for standard input.
    public convenience init(location: String) { self.init(asset: Asset(location: location)) }

    /// Creates an item for a URL (AVPlayerItem.init(url:)).
    ///
    /// - Parameter url: A file URL, or an http or https URL.
    public convenience init(url: URL) { self.init(asset: Asset(url: url)) }

    /// Whether the item can be played (AVPlayerItem.status). Changes on the player's thread.
    public var status: Status { state.withLock { $0.status } }
    /// The reason of the failure; nil unless ``status`` is `.failed`.
    public var error: PlaybackError? { state.withLock { $0.error } }

    /// The duration (AVPlayerItem.duration); ``MediaTime/indefinite`` until it is known, and for a stream without an
    /// end.
    public var duration: MediaTime {
        state.withLock { $0.info?.duration.map(MediaTime.init(nanoseconds:)) ?? .indefinite }
    }

    /// The size of the picture as it is shown (AVPlayerItem.presentationSize): rotated and cropped as the file states,
    /// in square pixels.
    ///
    /// When ``Player/Notification/itemReady(_:)`` is posted, this is the size that the container states; zero if it
    /// states none, and for audio alone. Each frame on screen updates it.
    /// ``Player/Notification/presentationSizeDidChange(_:)`` reports every change, the first one included.
    public var presentationSize: VideoSize { state.withLock { $0.presentationSize } }

    /// The time at which playback ends (AVPlayerItem.forwardPlaybackEndTime); ``MediaTime/invalid``, the default, for
    /// the item's own end.
    public var forwardPlaybackEndTime: MediaTime {
        get { state.withLock { $0.end.map(MediaTime.init(nanoseconds:)) ?? .invalid } }
        set {
            let owner = state.withLock { state in
                state.end = newValue.nanoseconds
                return state.owner
            }
            owner?.applyChange(of: .end)
        }
    }

    /// The time at which playback starts when the item becomes current; ``MediaTime/invalid``, the default, for the
    /// item's own start. Later changes have no effect.
    public var playbackStartTime: MediaTime {
        get { state.withLock { $0.start.map(MediaTime.init(nanoseconds:)) ?? .invalid } }
        set { state.withLock { $0.start = newValue.nanoseconds.map { max(0, $0) } } }
    }

    /// Returns a new item for the same asset, with the same settings and selected tracks. Outputs, and subtitle files
    /// that were added while the item was open, are not copied.
    public func copy() -> PlayerItem {
        let copy = PlayerItem(asset: asset)
        let (start, end, metadata, pitch) = state.withLock { ($0.start, $0.end, $0.externalMetadata, $0.pitch) }
        copy.state.withLock { ($0.start, $0.end, $0.externalMetadata, $0.pitch) = (start, end, metadata, pitch) }
        let (preferences, readingPreferences) = state.withLock { ($0.preferences, $0.readingPreferences) }
        copy.state.withLock { ($0.preferences, $0.readingPreferences) = (preferences, readingPreferences) }
        let selectionSettings = selection.withLock { $0.settings }
        copy.selection.withLock { $0 = selectionSettings }
        return copy
    }

    /// The title from ``externalMetadata`` or else from the container; nil if there is none.
    public var title: String? {
        state.withLock { state in
            state.externalMetadata.first { $0.key == MetadataItem.Key.title }?.stringValue ?? state.info?.title
        }
    }
    /// The size of the coded picture in samples; nil until it is known, and for audio alone.
    public var codedSize: VideoSize? {
        state.withLock { $0.info?.video.map { VideoSize(width: $0.width, height: $0.height) } }
    }
    /// Whether the item has a video track that is played; false until the item is ready.
    public var hasVideo: Bool { state.withLock { $0.info?.video != nil } }
    /// Whether the item has an audio track that is played; false until the item is ready.
    public var hasAudio: Bool { state.withLock { $0.info?.audio != nil } }
    /// Whether seeks are possible; false until the item is ready, and for pipes. ``seekableTimeRanges`` contains the
    /// possible targets.
    public var isSeekable: Bool { state.withLock { $0.info?.isSeekable ?? false } }
    /// FFmpeg's name of the video codec; nil if there is no video track.
    public var videoCodec: String? { state.withLock { $0.info?.video?.codec } }
    /// FFmpeg's name of the audio codec; nil if there is no audio track.
    public var audioCodec: String? { state.withLock { $0.info?.audio?.codec } }
    /// The average frame rate that the container states, in frames per second; 0 if unknown.
    public var nominalFrameRate: Double { state.withLock { $0.info?.video?.frameRate ?? 0 } }
    /// Messages about parts of the item that cannot be played.
    public var warnings: [String] { state.withLock { $0.info?.warnings ?? [] } }

    /// Properties of the container; nil until the item is ready.
    package var containerInfo: ContainerInfo? {
        state.withLock { state in
            state.info.map {
                ContainerInfo(
                    container: $0.container, chapterCount: $0.chapters.count, videoStreamCount: $0.streams.video,
                    audioStreamCount: $0.streams.audio,
                    subtitleStreamCount: $0.streams.subtitle, videoStreamIndex: $0.video?.streamIndex,
                    audioStreamIndex: $0.audio?.streamIndex,
                    firstAudioStreamIndex: $0.streams.firstAudioIndex)
            }
        }
    }

    /// Properties of a container, which tests compare with those that other players report.
    package struct ContainerInfo: Sendable {
        /// The name of the container format.
        package var container: String
        /// The number of chapters, and the number of streams of each kind.
        package var chapterCount, videoStreamCount, audioStreamCount, subtitleStreamCount: Int
        /// The indices of the streams that are played, and of the first audio stream of the container; nil for none.
        package var videoStreamIndex, audioStreamIndex, firstAudioStreamIndex: Int?
    }

    // MARK: Owner

    /// Makes a player the owner of the item.
    ///
    /// - Returns: False if the item belongs to another player.
    func assign(to owner: any PlayerItemOwner) -> Bool {
        state.withLock { state in
            guard state.owner == nil || state.owner === owner else { return false }
            state.owner = owner
            return true
        }
    }

    /// Makes the item available to other players.
    func release(from owner: any PlayerItemOwner) { state.withLock { if $0.owner === owner { $0.owner = nil } } }

    /// Returns whether `player` may become the owner of the item: no player owns it, or `player` does.
    func canBeOwned(by player: any PlayerItemOwner) -> Bool {
        state.withLock { $0.owner == nil || $0.owner === player }
    }

    /// The player whose current item this is; nil if there is none.
    var player: (any PlayerItemOwner)? {
        guard let owner = state.withLock({ $0.owner }), owner.isCurrent(self) else { return nil }
        return owner
    }
}

/// The functions of a player that its items use.
protocol PlayerItemOwner: AnyObject, Sendable {
    /// The player's policy for opening files and addresses.
    var openPolicy: OpenPolicy { get }
    /// The time of the current item, or the target while a seek is under way.
    var currentTime: MediaTime { get }
    /// Returns whether `item` is the player's current item.
    func isCurrent(_ item: PlayerItem) -> Bool
    /// The number of frames that the player has dropped.
    var droppedFrameCount: Int { get }
    /// Returns the time of the current item at a host time, both in nanoseconds.
    func itemTime(at hostTime: Int64) -> Int64
    /// Applies a setting of the player's current item that has changed.
    func applyChange(of setting: PlayerItemSetting)
    /// Seeks in the item: see ``Player/seek(to:toleranceBefore:toleranceAfter:completionHandler:)``.
    func seek(
        item: PlayerItem, to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime,
        _ completionHandler: @escaping @Sendable (Bool) -> Void)
    /// Cancels all pending seeks of the current item.
    func cancelPendingSeeks()
    /// Pauses and shows a later or earlier frame of the current item.
    func step(byCount count: Int)
}

/// A setting of an item that its player must apply after a change: the end of playback, the reading preferences, the
/// attached outputs, the pitch algorithm or the preferred variant.
enum PlayerItemSetting: Sendable { case end, reading, outputs, pitch, variant }
