/// The state of the segment download in progress. Times are in nanoseconds.
package struct DownloadProgress: Sendable, Equatable {
    /// The number of the variant that is being downloaded.
    package var variant: Int
    /// The number of bytes that have arrived.
    package var receivedBytes: Int64
    /// The segment's size in bytes; nil if the server does not state it.
    package var totalBytes: Int64?
    /// The time since the segment was requested, in nanoseconds.
    package var elapsed: Int64
    /// The time since the first byte arrived, in nanoseconds; nil before that.
    package var transferTime: Int64?
    /// The download rate of the last second, in bits per second; nil during the first second of the download.
    package var recentBitsPerSecond: Double?
    /// The media time ahead of the playhead that can be played now, in nanoseconds, including the received part of this
    /// segment.
    package var playableDuration: Int64

    package init(
        variant: Int, receivedBytes: Int64, totalBytes: Int64?, elapsed: Int64, transferTime: Int64?,
        recentBitsPerSecond: Double? = nil, playableDuration: Int64
    ) {
        self.variant = variant
        self.receivedBytes = max(receivedBytes, 0)
        self.totalBytes = totalBytes.flatMap { $0 > 0 ? $0 : nil }
        self.elapsed = max(elapsed, 0)
        self.transferTime = transferTime
        self.recentBitsPerSecond = recentBitsPerSecond
        self.playableDuration = max(playableDuration, 0)
    }

    /// Whether at least half of the segment has arrived; false if its size is unknown.
    var isMostlyReceived: Bool { totalBytes.map { receivedBytes >= $0 / 2 } ?? false }
}
