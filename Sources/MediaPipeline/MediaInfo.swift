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

/// A block of sound: `frameCount` frames of interleaved 32-bit floats in -1...1.
package struct PCMBlock: Sendable {
    package var samples: [Float]
    package var channels: Int
    /// Frames per second.
    package var rate: Int
    /// Presentation timestamp of the first frame on the item's timeline, nanoseconds.
    package var presentationTime: Int64
    package var generation: UInt32
    package var frameCount: Int { samples.count / max(channels, 1) }
}

/// Where to go on reading.
package struct SeekRequest: Sendable, Equatable {
    package enum Precision: Sendable, Equatable {
        /// To the frame that is seen at the time.
        case exact
        /// To the keyframe at or before it.
        case keyframe
        /// To a keyframe inside the range, nanoseconds on the item's timeline: the last one at or before the time, else the first one after
        /// it. Where no such keyframe is found: to the frame that is seen at the time.
        case near(ClosedRange<Int64>)
    }
    /// Nanoseconds on the item's timeline.
    package var time: Int64
    package var precision: Precision
    /// Everything decoded after this seek carries it.
    package var generation: UInt32
    package init(time: Int64, precision: Precision, generation: UInt32) {
        self.time = time
        self.precision = precision
        self.generation = generation
    }
}

/// What a ``MediaSource`` reports.
package enum MediaEvent: Sendable {
    case opened(MediaInfo)
    /// Nothing (more) can be played.
    case failed(MediaError)
    /// The stream could not go to a sought place; it goes on from where it is.
    case seekFailed(generation: UInt32, MediaError)
    /// The end was read: the item is so long (nanoseconds), whatever the container said.
    case durationKnown(Int64)
    /// A track gave up; the other goes on.
    case trackFailed(Track, MediaError)
    /// Something failed, and reading goes on.
    case warning(MediaError)
    /// Reading ended with an error before the end of the container; what was read before is still played.
    case readingStopped(MediaError)

    package enum Track: Sendable { case video, audio }
}
