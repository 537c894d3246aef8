import SystemCalls

/// The state that the player and the thread that fetches a stream exchange: the player's requirements and position, and
/// the stream's variants and playable segments. Any thread may call any method.
package final class StreamDemand: Sendable {
    /// The quality of the stream that the user wants.
    package enum Quality: Sendable, Equatable {
        /// The best variant that the network link and the view allow.
        case automatic
        /// The decodable variant with the lowest bit rate.
        case lowest
        /// The decodable variant with the highest bit rate.
        case highest
    }

    /// The player's requirements for a stream.
    package struct Requirements: Sendable, Equatable {
        package var quality = Quality.automatic
        /// The largest view or output in which the video is shown.
        package var destination = VideoDestination.unknown
        /// The limits for the choice of a variant.
        package var limits = VariantLimits()
        /// The playback rate; 1 is normal speed.
        package var rate = 1.0
        /// The largest number of bytes of played segments that are kept for seeking back, to save memory.
        package var keptByteLimit = Int.max
        package init() {}
    }

    /// The position of the decoders.
    private struct Playhead {
        /// Returns the time, in nanoseconds on the item's timeline, of the packet that a decoder took last; nil before
        /// the stream is opened.
        var readTime: (@Sendable () -> Int64?)?
    }

    private let requirements: Monitor<Requirements>
    /// The record of the item's downloads.
    let downloads = DownloadLog()
    /// The player's settings for reading ahead and for following live streams.
    private let readingDemand = Monitor(ReadingDemand())
    /// The segments of the stream that can be played.
    private let window = Monitor<SegmentWindow?>(nil)
    /// The state of the stream, reported by the thread that fetches it.
    private let status = Monitor<StreamStatus?>(nil)
    private let playhead = Monitor(Playhead())

    /// The timeline of the stream, for the threads that fetch subtitles.
    let timeline = StreamTimeline()

    package init(_ requirements: Requirements = Requirements()) { self.requirements = Monitor(requirements) }

    /// The player's current requirements.
    package var currentRequirements: Requirements { requirements.withLock { $0 } }
    /// Replaces the player's requirements.
    package func set(_ newRequirements: Requirements) { requirements.withLock { $0 = newRequirements } }

    /// The state of the stream; nil until it is open, and for other items.
    package var streamStatus: StreamStatus? { status.withLock { $0 } }
    /// Reports the state of the stream.
    func report(_ newStatus: StreamStatus) { status.withLock { $0 = newStatus } }

    /// The player's settings for reading ahead and for following live streams.
    var currentReadingDemand: ReadingDemand { readingDemand.withLock { $0 } }
    /// Replaces the player's settings for reading ahead and for following live streams.
    func set(_ newDemand: ReadingDemand) { readingDemand.withLock { $0 = newDemand } }

    /// The segments of the stream that can be played; nil until it is open, and for other items.
    var segmentWindow: SegmentWindow? { window.withLock { $0 } }
    /// Reports the segments of the stream that can be played.
    func report(_ newWindow: SegmentWindow) { window.withLock { $0 = newWindow } }

    /// Sets the function that returns the time of the packet that a decoder took last, in nanoseconds on the item's
    /// timeline.
    func setPlayhead(_ readTime: @escaping @Sendable () -> Int64?) { playhead.withLock { $0.readTime = readTime } }
    /// The time up to which the decoders have taken packets, in nanoseconds on the item's timeline; nil if unknown.
    var playheadTime: Int64? { playhead.withLock { $0.readTime }?() }
}
