import SharedFrames

/// The information that the container states. Values only.
package struct MediaInfo: Sendable, Equatable {
    package struct Video: Sendable, Equatable {
        package var streamIndex: Int
        package var codec: String
        /// The coded width in samples.
        package var width: Int
        package var height: Int
        /// The average number of frames per second; 0 = unknown.
        package var frameRate: Double
        /// Whether the track is a cover: a single picture for the whole audio track.
        package var isStill = false
        /// The display size in square pixels, cropped and rotated; empty if the container does not state it.
        package var displaySize = PixelSize(width: 0, height: 0)
    }

    package struct Audio: Sendable, Equatable {
        package var streamIndex: Int
        package var codec: String
        /// The sample rate: audio frames per second.
        package var sampleRate: Int
        package var channels: Int
        /// The speaker of each channel, as bit numbers of the WAVEFORMATEXTENSIBLE channel mask; empty if the file does
        /// not state it.
        package var speakers: [UInt8] = []
    }

    package struct Tag: Sendable, Equatable {
        package var key: String
        package var value: String
    }

    /// The number of streams of each kind.
    package struct Streams: Sendable, Equatable {
        package var video = 0
        package var audio = 0
        package var subtitle = 0
        /// The index of the first audio stream.
        package var firstAudio: Int?
    }

    /// A chapter of the item.
    package struct Chapter: Sendable, Equatable {
        /// The start time on the item's timeline, in nanoseconds.
        package var start: Int64
        package var end: Int64
        package var title: String?
    }

    /// The demuxer's short name, such as `matroska,webm`.
    package var container: String
    /// The duration in nanoseconds; nil if it is unknown (a live stream, a damaged file).
    package var duration: Int64?
    package var isSeekable: Bool
    /// The played tracks; nil if there is none.
    package var video: Video?
    package var audio: Audio?
    /// The numbers of all streams in the container, without cover pictures.
    package var streams = Streams()
    package var chapters: [Chapter] = []
    /// All tracks in the container's order, followed by those of separate files.
    package var tracks: [MediaTrack] = []
    /// The title from the container's tags.
    package var title: String?
    /// The container's tags in its order, with FFmpeg's names: `title`, `artist`, `album`.
    package var tags: [Tag] = []
    /// Messages about tracks that exist but cannot be played, such as a track without a decoder.
    package var warnings: [String] = []
}

extension MediaInfo.Video {
    /// Creates the description of a video track.
    package init(_ track: MediaTrack) {
        self.init(
            streamIndex: track.id, codec: track.codec, width: track.width, height: track.height,
            frameRate: track.isAttachedPicture ? 0 : track.frameRate, isStill: track.isAttachedPicture)
    }
}

extension MediaInfo.Audio {
    package init(_ track: MediaTrack) {
        self.init(streamIndex: track.id, codec: track.codec, sampleRate: track.sampleRate, channels: track.channels)
    }
}
