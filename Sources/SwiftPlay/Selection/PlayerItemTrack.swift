import MediaPipeline
import StreamPlaylists

/// A track of an item that is played (AVPlayerItemTrack). Safe to use from any thread.
public struct PlayerItemTrack: Sendable {
    /// The item that contains the track.
    private let item: PlayerItem
    /// The demuxer's description of the track.
    private let track: MediaTrack

    init(item: PlayerItem, track: MediaTrack) {
        self.item = item
        self.track = track
    }

    /// Whether the track plays (AVPlayerItemTrack.isEnabled). Setting it to true selects the track in its group.
    /// Setting it to false on a track that plays clears the selection of the group.
    public var isEnabled: Bool {
        get { item.selection.withLock { $0.playingTracks[track.kind] == track.id } }
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
    /// The language as a BCP 47 tag; nil if the container does not state it.
    public var extendedLanguageTag: String? { track.language.map(LanguageTag.extended) }
    /// The title of the track; nil if the container does not state it.
    public var title: String? { track.title }
    /// The size of the coded picture in samples; zero for tracks without pictures.
    public var naturalSize: VideoSize { VideoSize(width: track.width, height: track.height) }
    /// The average frame rate that the container states, in frames per second; 0 if unknown.
    public var nominalFrameRate: Double { track.frameRate }
    /// The bit rate in bits per second; 0 if unknown.
    public var estimatedDataRate: Int64 { track.bitRate }
    /// The number of audio channels; 0 for other tracks.
    public var channelCount: Int { track.channels }
    /// Whether the track can be decoded.
    public var isPlayable: Bool { track.isPlayable }
}
