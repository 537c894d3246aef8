import SystemCalls

/// What the player wants from a stream and how far playback is, written by the player, and the state of the stream,
/// written by the thread that fetches it.
package final class StreamDemand: Sendable {
    /// Which variants the user wants.
    package enum Quality: Sendable, Equatable {
        /// The best variant that the link and the view allow.
        case automatic
        case lowest
        case highest
    }

    /// The values of the player.
    package struct Values: Sendable, Equatable {
        package var quality = Quality.automatic
        /// The largest place in which the video is shown.
        package var destination = VideoDestination.unknown
        /// The limits of the choice of a variant.
        package var limits = VariantLimits()
        /// The playback rate.
        package var rate = 1.0
        /// Whether fetched segments are kept for seeking back: not while the picture is hidden or in
        /// Picture-in-Picture, to save memory.
        package var keepsSegments = true
        package init() {}
    }

    private let values: Monitor<Values>
    /// The record of the item's downloads.
    let downloads = DownloadLog()
    /// What the player wants of reading the item.
    private let readingDemand = Monitor(ReadingDemand())
    /// The segments of the stream that can be played.
    private let window = Monitor<SegmentWindow?>(nil)
    /// What the thread that fetches the stream reports.
    private let status = Monitor<StreamStatus?>(nil)
    /// Returns the time of the packet that a decoder took last, on the item's timeline in nanoseconds; nil if none is
    /// known. Set once, before the stream is opened.
    private let playhead = Monitor<(@Sendable () -> Int64?)?>(nil)

    /// The timeline of the stream, for the threads that fetch subtitles.
    let timeline = StreamTimeline()

    package init(_ values: Values = Values()) { self.values = Monitor(values) }

    /// The current values.
    package var current: Values { values.withLock { $0 } }
    /// Replaces the values.
    package func set(_ new: Values) { values.withLock { $0 = new } }

    /// The state of the stream; nil until it is open, and for other items.
    package var streamStatus: StreamStatus? { status.withLock { $0 } }
    /// Reports the state of the stream.
    func report(_ new: StreamStatus) { status.withLock { $0 = new } }

    /// What the player wants of reading the item.
    var reading: ReadingDemand { readingDemand.withLock { $0 } }
    /// Replaces what the player wants of reading the item.
    func set(_ new: ReadingDemand) { readingDemand.withLock { $0 = new } }

    /// The segments of the stream that can be played; nil until it is open, and for other items.
    var segmentWindow: SegmentWindow? { window.withLock { $0 } }
    /// Reports the segments of the stream that can be played.
    func report(_ new: SegmentWindow) { window.withLock { $0 = new } }

    /// Sets the function that returns the playhead.
    func setPlayhead(_ read: @escaping @Sendable () -> Int64?) { playhead.withLock { $0 = read } }
    /// The time up to which the decoders have taken packets, in nanoseconds; nil if unknown.
    var playheadTime: Int64? { playhead.withLock { $0 }?() }
}
