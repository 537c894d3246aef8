/// The downloads of an item between two seeks or changes of the variant. Contains only values; times are in
/// nanoseconds.
package struct DownloadRun: Sendable, Equatable {
    /// The number of the run, counted from 0.
    package let number: Int
    /// The time on the item's timeline, in nanoseconds, at which the downloaded media begins.
    package let start: Int64
    /// Whether a change of the variant started this run; otherwise the opening of the item or a seek started it.
    package var isVariantChange = false
    /// The expected throughput of the network link, in bits per second, for which the variant was chosen; nil unless a
    /// change of the variant started this run.
    package var expectedBitRate: Double?
    /// The downloaded variant; nil for items that are not streams, and until the first segment is requested.
    package var variant: StreamStatus.Variant?
    /// The address of the variant's playlist; nil if there is no variant.
    package var address: String?

    /// The number of requests for media, without those for playlists and keys.
    package var mediaRequestCount = 0
    /// The number of bytes received from all resources.
    package var byteCount: Int64 = 0
    /// The time, in nanoseconds, during which at least one transfer was running and not paused.
    package var transferTime: Int64 = 0
    /// The IP address of the server that responded last; nil before the first response.
    package var serverAddress: String?
    /// The number of times that a host responded from another IP address than before.
    package var serverAddressChangeCount = 0
    /// The total play time of the completely received segments, in nanoseconds.
    package var totalSegmentDuration: Int64 = 0
    /// The number of segments whose download took longer than their play time, or was abandoned.
    package var overdueCount = 0
    /// The bit rates at which the segments arrived; for items that are not streams, the bit rate of each second of
    /// transfer.
    package var rates = RateStatistics()
    /// The received segments of the variants: video, and the audio that the variants contain.
    package var main = MediaAmount()
    /// The received segments of audio renditions.
    package var audio = MediaAmount()

    package init(number: Int, start: Int64) { (self.number, self.start) = (number, start) }
}

/// An amount of encoded media: bytes and play time. A pure value.
package struct MediaAmount: Sendable, Equatable {
    package private(set) var byteCount: Int64 = 0
    /// The play time of the media in nanoseconds.
    package private(set) var duration: Int64 = 0

    package init() {}

    /// Adds media with a play time in nanoseconds.
    package mutating func add(_ byteCount: Int64, duration: Int64) {
        self.byteCount += byteCount
        self.duration += duration
    }

    /// Adds the bytes and the play time of another amount.
    package mutating func add(_ other: Self) { add(other.byteCount, duration: other.duration) }

    /// The average bit rate of the media in bits per second; nil if there is no media.
    package var bitRate: Double? { duration > 0 ? Double(byteCount) * 8e9 / Double(duration) : nil }
}

/// The number, mean, spread and extremes of measured bit rates, in bits per second. A pure value.
package struct RateStatistics: Sendable, Equatable {
    package private(set) var count = 0
    package private(set) var mean = 0.0
    /// The smallest and the largest bit rate, in bits per second; 0 if there is none.
    package private(set) var smallest = 0.0, largest = 0.0
    /// The sum of the squared differences from the mean (Welford's algorithm).
    private var squaredDifferenceSum = 0.0

    package init() {}

    /// The standard deviation in bits per second; nil if there is no bit rate.
    package var standardDeviation: Double? { count > 0 ? (squaredDifferenceSum / Double(count)).squareRoot() : nil }

    /// Adds a bit rate in bits per second.
    package mutating func add(_ rate: Double) {
        guard rate.isFinite, rate >= 0 else { return }
        (smallest, largest) = count == 0 ? (rate, rate) : (min(smallest, rate), max(largest, rate))
        count += 1
        let difference = rate - mean
        mean += difference / Double(count)
        squaredDifferenceSum += difference * (rate - mean)
    }

    /// Adds all bit rates of other statistics.
    package mutating func add(_ other: Self) {
        guard other.count > 0 else { return }
        guard count > 0 else { return self = other }
        let difference = other.mean - mean, total = Double(count + other.count)
        squaredDifferenceSum +=
            other.squaredDifferenceSum + difference * difference * Double(count) * Double(other.count) / total
        mean += difference * Double(other.count) / total
        (smallest, largest) = (min(smallest, other.smallest), max(largest, other.largest))
        count += other.count
    }
}

extension DownloadRun {
    /// Adds the downloads of a later run to this run.
    package mutating func add(_ other: Self) {
        mediaRequestCount += other.mediaRequestCount
        byteCount += other.byteCount
        transferTime += other.transferTime
        serverAddress = other.serverAddress ?? serverAddress
        serverAddressChangeCount += other.serverAddressChangeCount
        totalSegmentDuration += other.totalSegmentDuration
        overdueCount += other.overdueCount
        rates.add(other.rates)
        main.add(other.main)
        audio.add(other.audio)
        (variant, address) = (other.variant ?? variant, other.address ?? address)
    }
}
