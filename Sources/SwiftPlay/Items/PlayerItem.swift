import Dispatch
import FoundationEssentials
import MediaPipeline
import SystemCalls

/// One file or address to be played (AVPlayerItem). Any thread. Belongs to at most one player at a time: it is free for
/// another one as soon as it is neither the first one's current item nor in its queue.
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
        /// The player whose current item it is, or in whose queue.
        weak var owner: (any PlayerItemOwner)?
        /// Where it begins and ends, where that is not at its own ends; nanoseconds.
        var start: Int64?
        var end: Int64?
        var externalMetadata: [MetadataItem] = []
        var pitch = AudioTimePitchAlgorithm.timeDomain
        var outputs: [PlayerItemVideoOutput] = []
        /// While it is open: that of the player that opened it last. A player that is done with the item may take a
        /// moment longer to close its own source, and no longer changes what the item shows when another one has opened
        /// it.
        var source: (any MediaSource)?
        var log = PlaybackLog()
    }

    /// The file or address. What it says of itself can be loaded without a player; several items can share one asset.
    public let asset: Asset
    /// A path, or an http or https address.
    public var location: String { asset.location }
    let state = Monitor(State())
    let selection = Monitor(SelectionState())

    /// Creates an item for an asset, which other items can share.
    public init(asset: Asset) { self.asset = asset }

    /// Creates an item for a path, an http or https address, or `-` for standard input.
    public convenience init(location: String) { self.init(asset: Asset(location: location)) }

    /// Creates an item for a file URL, or an http or https URL.
    public convenience init(url: URL) { self.init(asset: Asset(url: url)) }

    /// Whether the item can be played. Changes on the player's thread.
    public var status: Status { state.withLock { $0.status } }
    /// Why it failed; nil unless ``status`` is `.failed`.
    public var error: PlaybackError? { state.withLock { $0.error } }

    /// `.indefinite` until known, and for a stream without end.
    public var duration: MediaTime {
        state.withLock { $0.info?.duration.map(MediaTime.init(nanoseconds:)) ?? .indefinite }
    }

    /// The size of the picture as it is shown: rotated and cropped as the file says, in square pixels.
    ///
    /// When ``Player/Notification/itemReady(_:)`` is posted this is the size that the container states; zero where it
    /// states none and for audio alone. Each frame on screen updates it.
    /// ``Player/Notification/presentationSizeDidChange(_:)`` reports every change, the first one included.
    public var presentationSize: VideoSize { state.withLock { $0.presentationSize } }

    /// Where playing ends before the item's own end; `.invalid` = at its own.
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

    /// Where playing the item begins when it becomes a player's current one; `.invalid` = at its own beginning. Has no
    /// effect later.
    public var playbackStartTime: MediaTime {
        get { state.withLock { $0.start.map(MediaTime.init(nanoseconds:)) ?? .invalid } }
        set { state.withLock { $0.start = newValue.nanoseconds.map { max(0, $0) } } }
    }

    /// A fresh item for the same asset, with the same settings and choice of tracks. Outputs, and files of subtitles
    /// that were added while it was open, are not copied.
    public func copy() -> PlayerItem {
        let copy = PlayerItem(asset: asset)
        let (start, end, metadata, pitch) = state.withLock { ($0.start, $0.end, $0.externalMetadata, $0.pitch) }
        copy.state.withLock { ($0.start, $0.end, $0.externalMetadata, $0.pitch) = (start, end, metadata, pitch) }
        let chosen = selection.withLock { $0.settings }
        copy.selection.withLock { $0 = chosen }
        return copy
    }

    /// The title that ``externalMetadata`` or else the container carries.
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
    /// FFmpeg's name of the codec; nil where there is no such track.
    public var videoCodec: String? { state.withLock { $0.info?.video?.codec } }
    /// FFmpeg's name of the audio codec; nil if there is no audio track.
    public var audioCodec: String? { state.withLock { $0.info?.audio?.codec } }
    /// Frames per second by the container's average; 0 = unknown.
    public var nominalFrameRate: Double { state.withLock { $0.info?.video?.frameRate ?? 0 } }
    /// What of it could not be played, in words.
    public var warnings: [String] { state.withLock { $0.info?.warnings ?? [] } }

    /// What the container says of itself; nil until known.
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

    /// Figures for who compares players.
    package struct ContainerFacts: Sendable {
        package var container: String
        package var chapters, videoStreams, audioStreams, subtitleStreams: Int
        /// Numbers of the streams that are played.
        package var videoStream, audioStream, firstAudioStream: Int?
    }

    // MARK: whose it is

    /// Makes `owner` the player that the item belongs to.
    ///
    /// - Returns: false when it belongs to another player.
    func claim(by owner: any PlayerItemOwner) -> Bool {
        state.withLock { state in
            guard state.owner == nil || state.owner === owner else { return false }
            state.owner = owner
            return true
        }
    }

    /// The item may go to another player.
    func release(from owner: any PlayerItemOwner) { state.withLock { if $0.owner === owner { $0.owner = nil } } }

    func isFree(for player: any PlayerItemOwner) -> Bool { state.withLock { $0.owner == nil || $0.owner === player } }

    /// The player whose current item this is.
    var player: (any PlayerItemOwner)? {
        guard let owner = state.withLock({ $0.owner }), owner.isCurrent(self) else { return nil }
        return owner
    }
}

/// What an item needs of the player that it belongs to.
protocol PlayerItemOwner: AnyObject, Sendable {
    var openPolicy: OpenPolicy { get }
    /// The current item's time; the target while a seek runs.
    var currentTime: MediaTime { get }
    func isCurrent(_ item: PlayerItem) -> Bool
    /// The current item's time at a host time, both in nanoseconds.
    func itemTime(at host: Int64) -> Int64
    func changed(_ setting: PlayerItemSetting)
    func seek(
        item: PlayerItem, to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime,
        _ completionHandler: @escaping @Sendable (Bool) -> Void)
    func cancelPendingSeeks()
    func step(byCount count: Int)
}

/// What a program has changed of an item that belongs to a player.
enum PlayerItemSetting: Sendable { case end, outputs, pitch }
