import SharedFrames

@testable import MediaPipeline

/// Inputs for the tests of the variant chooser, which chooses the quality of an HLS stream, and of its rules.
enum ChooserFixtures {
    /// The variants 180p, 360p, 480p, 720p and 1080p with 0.3, 0.8, 1.4, 2.8 and 5 Mb/s, in this order. The index of a
    /// variant is its position in the array.
    static let ladder = [
        variant(0, 300_000, 180), variant(1, 800_000, 360), variant(2, 1_400_000, 480), variant(3, 2_800_000, 720),
        variant(4, 5_000_000, 1080),
    ]

    /// Returns a variant with the given bandwidth in bits per second and height in pixels.
    static func variant(_ index: Int, _ bandwidth: Int64, _ height: Int, average: Int64? = nil) -> VariantCandidate {
        VariantCandidate(
            index: index, bandwidth: bandwidth, averageBandwidth: average,
            size: PixelSize(width: (height * 16 + 8) / 9, height: height))
    }

    /// Returns a number of seconds in nanoseconds.
    static func seconds(_ seconds: Double) -> Int64 { Int64(nanosecondsOf: seconds) }

    /// Returns the geometry of a video view of the given size in pixels.
    static func view(_ width: Int, _ height: Int) -> VideoViewGeometry {
        VideoViewGeometry(size: PixelSize(width: width, height: height))
    }

    /// Returns the variant chooser's input before the next segment, which lasts 4 s.
    ///
    /// - Parameters:
    ///   - now: The host time in seconds.
    ///   - buffered: The duration of the buffered media in seconds.
    ///   - rate: The estimated throughput in Mb/s.
    ///   - isTrusted: Whether the throughput estimate is trusted.
    ///   - playbackRate: The playback rate; 1 is normal speed.
    ///   - sizes: For each variant, the known sizes of the next segments in bytes.
    ///   - remaining: The number of segments left up to the end of the stream; nil if it is unknown.
    static func input(
        now: Double = 0, buffered: Double, megabits rate: Double, isTrusted: Bool = true, playbackRate: Double = 1,
        sizes: [Int: [Int64]] = [:], remaining: Int? = nil
    ) -> ChooserInput {
        ChooserInput(
            now: seconds(now), bufferedDuration: seconds(buffered), bufferedSegmentCount: Int(buffered / 4),
            segmentDuration: seconds(4),
            estimate: ThroughputEstimate(bitsPerSecond: rate * 1_000_000, isTrusted: isTrusted), rate: playbackRate,
            segmentSizes: sizes, remainingSegmentCount: remaining)
    }

    /// Returns the progress of the download of a segment.
    ///
    /// - Parameters:
    ///   - variant: The index of the variant being downloaded.
    ///   - received: The number of bytes received so far.
    ///   - total: The size of the segment in bytes; nil if it is unknown.
    ///   - elapsed: The time since the request in seconds; the first byte arrives at once.
    ///   - recent: The download rate of the last second in Mb/s.
    ///   - playable: The duration of the media that can be played without further data, in seconds.
    static func progress(
        _ variant: Int, received: Int64, total: Int64?, elapsed: Double, recent: Double? = nil, playable: Double
    ) -> DownloadProgress {
        DownloadProgress(
            variant: variant, receivedBytes: received, totalBytes: total, elapsed: seconds(elapsed),
            transferTime: seconds(elapsed), recentBitsPerSecond: recent.map { $0 * 1_000_000 },
            playableDuration: seconds(playable))
    }
}
