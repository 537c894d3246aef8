import SharedFrames

/// What the container says: known once it is open. Values only.
package struct MediaInfo: Sendable, Equatable {
    package struct Video: Sendable, Equatable {
        package var streamIndex: Int
        package var codec: String
        /// Coded picture, in samples.
        package var width: Int
        package var height: Int
        /// Average frames per second; 0 = unknown.
        package var frameRate: Double
        /// A cover: one picture for the whole length of the sound.
        package var isStill = false
        /// The picture in square pixels, cropped and rotated, by the container; empty where the container does not say.
        package var displaySize = PixelSize(width: 0, height: 0)
    }

    package struct Audio: Sendable, Equatable {
        package var streamIndex: Int
        package var codec: String
        /// Frames per second.
        package var sampleRate: Int
        package var channels: Int
        /// Where each is heard, by WAVEFORMATEXTENSIBLE's numbers; empty where the file does not say.
        package var speakers: [UInt8] = []
    }

    package struct Tag: Sendable, Equatable {
        package var key: String
        package var value: String
    }

    /// How many of each.
    package struct Streams: Sendable, Equatable {
        package var video = 0
        package var audio = 0
        package var subtitle = 0
        /// The number of the first one with sound.
        package var firstAudio: Int?
    }

    /// A part of the item with a name.
    package struct Chapter: Sendable, Equatable {
        /// Nanoseconds on the item's timeline.
        package var start: Int64
        package var end: Int64
        package var title: String?
    }

    /// The demuxer's short name, `matroska,webm` say.
    package var container: String
    /// Nanoseconds; nil when it does not say (a live stream, a damaged file).
    package var duration: Int64?
    package var isSeekable: Bool
    /// The tracks that are played; nil where there is none.
    package var video: Video?
    package var audio: Audio?
    /// What is in the container altogether, cover pictures apart.
    package var streams = Streams()
    package var chapters: [Chapter] = []
    /// All that is in it, in the container's order; files beside it come after.
    package var tracks: [MediaTrack] = []
    /// Title from the container's tags.
    package var title: String?
    /// The container's tags in its own order, by FFmpeg's names: `title`, `artist`, `album`.
    package var tags: [Tag] = []
    /// What could not be played though there is something, in words: a track without a decoder.
    package var warnings: [String] = []
}

extension MediaInfo.Video {
    /// What a track says of itself.
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
