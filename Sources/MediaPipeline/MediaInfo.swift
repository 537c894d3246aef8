import SharedFrames

/// The information that a container states about its media. Contains only values.
package struct MediaInfo: Sendable, Equatable {
    /// The properties of the played video track.
    package struct Video: Sendable, Equatable {
        /// The index of the track's stream in the container.
        package var streamIndex: Int
        /// FFmpeg's name of the codec.
        package var codec: String
        /// The coded width in samples.
        package var width: Int
        /// The coded height in samples.
        package var height: Int
        /// The average number of frames per second; 0 = unknown.
        package var frameRate: Double
        /// Whether the track is a cover picture: one picture that is shown during the whole audio track.
        package var isCoverPicture = false
        /// The display size in square pixels, cropped and rotated; empty if the container does not state it.
        package var displaySize = PixelSize(width: 0, height: 0)
    }

    /// The properties of the played audio track.
    package struct Audio: Sendable, Equatable {
        /// The index of the track's stream in the container.
        package var streamIndex: Int
        /// FFmpeg's name of the codec.
        package var codec: String
        /// The sample rate: audio frames per second.
        package var sampleRate: Int
        /// The number of channels.
        package var channels: Int
        /// The speaker of each channel, as bit numbers of the WAVEFORMATEXTENSIBLE channel mask; empty if the file does
        /// not state it.
        package var speakers: [UInt8] = []
    }

    /// A metadata tag of the item, such as its artist.
    package struct Tag: Sendable, Equatable {
        /// FFmpeg's name of the tag in lower case, such as `artist`.
        package var key: String
        package var value: String
    }

    /// The number of a container's streams of each kind.
    package struct StreamCounts: Sendable, Equatable {
        package var video = 0
        package var audio = 0
        package var subtitle = 0
        /// The index of the first audio stream.
        package var firstAudioIndex: Int?
    }

    /// A chapter of the item.
    package struct Chapter: Sendable, Equatable {
        /// The start time on the item's timeline, in nanoseconds.
        package var start: Int64
        /// The end time on the item's timeline, in nanoseconds.
        package var end: Int64
        /// The chapter's title; nil if it has none.
        package var title: String?
    }

    /// FFmpeg's name of the container format, such as `matroska,webm`.
    package var container: String
    /// The duration in nanoseconds; nil if it is unknown (a live stream, a damaged file).
    package var duration: Int64?
    /// The position at which playback starts, in nanoseconds: greater than 0 for a live stream.
    package var start: Int64 = 0
    /// Whether seeking to another time is possible.
    package var isSeekable: Bool
    /// The played video track; nil if there is none.
    package var video: Video?
    /// The played audio track; nil if there is none.
    package var audio: Audio?
    /// The number of streams of each kind in the container, without cover pictures.
    package var streams = StreamCounts()
    /// The chapters in the container's order.
    package var chapters: [Chapter] = []
    /// All tracks in the container's order, followed by the tracks of separate subtitle files.
    package var tracks: [MediaTrack] = []
    /// The variants of a stream; empty for other items.
    package var variants: [StreamStatus.Variant] = []
    /// The title from the container's tags.
    package var title: String?
    /// The container's tags in its order, with FFmpeg's names: `title`, `artist`, `album`.
    package var tags: [Tag] = []
    /// The first cover picture in the container; nil if there is none.
    package var artwork: Artwork?
    /// Messages about tracks that exist but cannot be played, such as a track without a decoder.
    package var warnings: [String] = []
}

extension MediaInfo.Video {
    /// Creates the description of a video track.
    package init(_ track: MediaTrack) {
        self.init(
            streamIndex: track.id, codec: track.codec, width: track.width, height: track.height,
            frameRate: track.isAttachedPicture ? 0 : track.frameRate, isCoverPicture: track.isAttachedPicture)
    }
}

extension MediaInfo.Audio {
    /// Creates the description of an audio track.
    package init(_ track: MediaTrack) {
        self.init(streamIndex: track.id, codec: track.codec, sampleRate: track.sampleRate, channels: track.channels)
    }
}
