import MediaPipeline

/// One track of an item that is played (AVPlayerItemTrack). Any thread.
public struct PlayerItemTrack: Sendable {
    private let item: PlayerItem
    private let track: MediaTrack

    init(item: PlayerItem, track: MediaTrack) {
        self.item = item
        self.track = track
    }

    /// Does it play? Setting it chooses the track in its group, or none.
    public var isEnabled: Bool {
        get { item.selection.withLock { $0.playing[track.kind] == track.id } }
        nonmutating set {
            if newValue { item.pick(.id(track.id), track.kind) } else if isEnabled { item.pick(.off, track.kind) }
        }
    }

    /// The number of the track within its item.
    public var trackID: Int { track.id }
    /// The kind of data in the track.
    public var mediaType: MediaType { MediaSelectionOption(track: track).mediaType }
    /// FFmpeg's name of the codec.
    public var codec: String { track.codec }
    /// By BCP 47; nil where the container says nothing.
    public var extendedLanguageTag: String? { track.language.map(LanguageTag.extended) }
    /// The title of the track; nil if the container does not state it.
    public var title: String? { track.title }
    /// Coded picture, in samples; zero for what is none.
    public var naturalSize: VideoSize { VideoSize(width: track.width, height: track.height) }
    /// Frames per second by the container's average; 0 = unknown.
    public var nominalFrameRate: Double { track.frameRate }
    /// Bits per second; 0 = unknown.
    public var estimatedDataRate: Int64 { track.bitRate }
    /// Of sound; 0 for what is none.
    public var channelCount: Int { track.channels }
    /// Whether the track can be decoded.
    public var isPlayable: Bool { track.isPlayable }
}
