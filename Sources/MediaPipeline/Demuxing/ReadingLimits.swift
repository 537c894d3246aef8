import CFFmpeg

/// The limits on the values that a container or a codec may state.
enum ReadingLimits {
    /// The maximum number of streams in a container; a complete broadcast transponder has about 150.
    static let maximumStreamCount: Int32 = 256
    /// The maximum number of bytes that probing reads: FFmpeg's default, stated explicitly.
    static let probeByteLimit: Int64 = 5_000_000
    /// The maximum duration of media, in microseconds, that probing reads: FFmpeg's default.
    static let probeMediaDuration: Int64 = 5_000_000
    /// The maximum number of pixels per picture; 8K UHD has 33 million.
    static let maximumPixelCount: Int64 = 8192 * 8192
    /// The maximum number of samples per channel in one block of audio.
    static let maximumBlockSampleCount: Int64 = 1 << 20
    /// The maximum number of audio frames that one resampled block may have.
    static let maximumResampledFrameCount: Int32 = 1 << 22
    /// The supported sample rates in Hz.
    static let sampleRateRange: ClosedRange<Int32> = 1000...1_536_000
    /// The maximum number of consecutive EAGAIN results before reading gives up.
    static let retryLimit = 10_000
    /// The maximum processor time for probing an open file, in nanoseconds.
    static let probingProcessorTime: Int64 = 5_000_000_000
    /// The range of times on an item's timeline, in nanoseconds: ±36 years. Sums of a few such times cannot overflow.
    static let timeRange: ClosedRange<Int64> = -(1 << 60)...(1 << 60)

    /// Sets the limits for what a demuxer reads from a container.
    static func apply(to format: UnsafeMutablePointer<AVFormatContext>) {
        format.pointee.max_streams = maximumStreamCount
        format.pointee.probesize = probeByteLimit
        format.pointee.max_analyze_duration = probeMediaDuration
    }

    /// Applies the limits of codecs to a decoder.
    static func apply(to decoder: UnsafeMutablePointer<AVCodecContext>) {
        decoder.pointee.max_pixels = maximumPixelCount
        decoder.pointee.max_samples = maximumBlockSampleCount
    }
}

extension Int64 {
    /// The value clamped to ``ReadingLimits/timeRange``.
    var boundedTime: Int64 {
        Swift.min(Swift.max(self, ReadingLimits.timeRange.lowerBound), ReadingLimits.timeRange.upperBound)
    }
}
