import MediaPipeline
import StreamPlaylists

/// A property of an ``Asset`` that can be loaded (AVAsyncProperty).
public struct AssetProperty<Value: Sendable>: Sendable {
    /// The progress of loading the property.
    public enum Status: Sendable {
        /// The property was not requested yet.
        case notYetLoaded
        /// A request for the property is under way.
        case loading
        /// The value was loaded.
        case loaded(Value)
        /// The file could not be opened.
        case failed(PlaybackError)
    }

    /// Returns the property's value from the description of the opened file.
    let value: @Sendable (MediaInfo) -> Value
}

extension AssetProperty where Value == MediaTime {
    /// The duration; ``MediaTime/indefinite`` if the container does not state it, as for a live stream.
    public static var duration: AssetProperty {
        AssetProperty { $0.duration.map(MediaTime.init(nanoseconds:)) ?? .indefinite }
    }
}

extension AssetProperty where Value == [AssetTrack] {
    /// The tracks, in the order of the container.
    public static var tracks: AssetProperty {
        AssetProperty { $0.tracks.filter { !$0.isExternal }.map(AssetTrack.init) }
    }
}

extension AssetProperty where Value == [MetadataItem] {
    /// The tags of the container.
    public static var metadata: AssetProperty {
        AssetProperty { $0.tags.map { MetadataItem(key: $0.key, stringValue: $0.value) } }
    }
}

extension AssetProperty where Value == [Chapter] {
    /// The chapters, in order.
    public static var chapters: AssetProperty { AssetProperty { $0.chapters.map(Chapter.init) } }
}

extension AssetProperty where Value == Bool {
    /// Whether there is a decoder for a video or an audio track.
    public static var isPlayable: AssetProperty {
        AssetProperty { $0.tracks.contains { $0.kind != .subtitle && !$0.isExternal && $0.hasDecoder } }
    }

    /// Whether a player can seek in the asset.
    public static var isSeekable: AssetProperty { AssetProperty { $0.isSeekable } }
}

/// A track of an asset (AVAssetTrack). A value.
public struct AssetTrack: Sendable, Hashable {
    private let track: MediaTrack

    /// Creates the public description of a track.
    init(_ track: MediaTrack) { self.track = track }

    /// Returns whether two tracks have the same properties.
    public static func == (a: Self, b: Self) -> Bool { a.track == b.track }
    /// Hashes the number of the track.
    public func hash(into hasher: inout Hasher) { hasher.combine(track.id) }

    /// The number of the track within the container.
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
    /// The audio sample rate in Hz; 0 for other tracks.
    public var sampleRate: Int { track.sampleRate }
    /// Whether there is a decoder for the track.
    public var isPlayable: Bool { track.hasDecoder }
}
