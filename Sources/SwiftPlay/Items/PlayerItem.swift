import Dispatch
import FoundationEssentials
import MediaPipeline
import SystemCalls

/// A file or address that a player plays (AVPlayerItem). Any thread.
///
/// An item belongs to at most one player at a time. It can be given to another player once it is neither the current
/// item of the first nor in its queue.
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

    struct State {
        var status = Status.unknown
        var error: PlaybackError?
        var info: MediaInfo?
        var presentationSize = VideoSize.zero
        /// The player whose current item this is, or whose queue contains it.
        weak var owner: (any PlayerItemOwner)?
        /// The start and the end that the program set, in nanoseconds.
        var start: Int64?
        var end: Int64?
        var externalMetadata: [MetadataItem] = []
        var pitch = AudioTimePitchAlgorithm.timeDomain
        var outputs: [PlayerItemVideoOutput] = []
        /// The source of the player that opened the item last. A former player may still be closing its own source; it
        /// no longer changes this state.
        var source: (any MediaSource)?
        var log = PlaybackLog()
    }

    /// The file or address (AVPlayerItem.asset). Its properties can be loaded without a player. Several items can share
    /// one asset.
    public let asset: Asset
    /// A path, or an http or https address.
    public var location: String { asset.location }
    let state = Monitor(State())
    let selection = Monitor(SelectionState())

    /// Creates an item for an asset, which other items can share (AVPlayerItem.init(asset:)).
    ///
    /// - Parameter asset: The asset.
    public init(asset: Asset) { self.asset = asset }

    /// Creates an item for a path, an http or https address, or standard input.
    ///
    /// - Parameter location: A path, an http or https address, or `-` for standard input.
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
            owner?.changed(.end)
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
        let chosen = selection.withLock { $0.settings }
        copy.selection.withLock { $0 = chosen }
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
    /// Whether seeks are possible; false until the item is ready, and for pipes and live streams.
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
    package var containerFacts: ContainerFacts? {
        state.withLock { state in
            state.info.map {
                ContainerFacts(
                    container: $0.container, chapters: $0.chapters.count, videoStreams: $0.streams.video,
                    audioStreams: $0.streams.audio,
                    subtitleStreams: $0.streams.subtitle, videoStream: $0.video?.streamIndex,
                    audioStream: $0.audio?.streamIndex,
                    firstAudioStream: $0.streams.firstAudio)
            }
        }
    }

    /// Properties of a container, for comparisons with other programs.
    package struct ContainerFacts: Sendable {
        package var container: String
        package var chapters, videoStreams, audioStreams, subtitleStreams: Int
        /// The numbers of the streams that are played.
        package var videoStream, audioStream, firstAudioStream: Int?
    }

    // MARK: Owner

    /// Assigns the item to a player.
    ///
    /// - Returns: False if the item belongs to another player.
    func claim(by owner: any PlayerItemOwner) -> Bool {
        state.withLock { state in
            guard state.owner == nil || state.owner === owner else { return false }
            state.owner = owner
            return true
        }
    }

    /// Makes the item available to other players.
    func release(from owner: any PlayerItemOwner) { state.withLock { if $0.owner === owner { $0.owner = nil } } }

    func isFree(for player: any PlayerItemOwner) -> Bool { state.withLock { $0.owner == nil || $0.owner === player } }

    /// The player whose current item this is; nil if there is none.
    var player: (any PlayerItemOwner)? {
        guard let owner = state.withLock({ $0.owner }), owner.isCurrent(self) else { return nil }
        return owner
    }
}

/// The player that an item belongs to.
protocol PlayerItemOwner: AnyObject, Sendable {
    var openPolicy: OpenPolicy { get }
    /// The time of the current item, or the target while a seek is under way.
    var currentTime: MediaTime { get }
    func isCurrent(_ item: PlayerItem) -> Bool
    /// Returns the time of the current item at a host time, both in nanoseconds.
    func itemTime(at host: Int64) -> Int64
    func changed(_ setting: PlayerItemSetting)
    func seek(
        item: PlayerItem, to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime,
        _ completionHandler: @escaping @Sendable (Bool) -> Void)
    func cancelPendingSeeks()
    func step(byCount count: Int)
}

/// A change of an item that its player must apply.
enum PlayerItemSetting: Sendable { case end, outputs, pitch }
