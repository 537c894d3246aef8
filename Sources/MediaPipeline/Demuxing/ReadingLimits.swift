import CFFmpeg

/// The limits on what a container or a codec may claim.
enum ReadingLimits {
    /// The maximum number of streams in a container; a complete broadcast transponder has about 150.
    static let streams: Int32 = 256
    /// The maximum number of bytes and of microseconds that probing reads: FFmpeg's defaults, stated explicitly.
    static let probeBytes: Int64 = 5_000_000
    static let probeTime: Int64 = 5_000_000
    /// The maximum number of pixels per picture; 8K UHD has 33 million.
    static let pixels: Int64 = 8192 * 8192
    /// The maximum number of samples per channel in one block of audio.
    static let samples: Int64 = 1 << 20
    /// The maximum number of audio frames that one resampled block may have.
    static let resampledFrames: Int32 = 1 << 22
    /// The supported sample rates in Hz.
    static let rates: ClosedRange<Int32> = 1000...1_536_000
    /// The maximum number of consecutive EAGAIN results.
    static let attempts = 10_000
    /// The maximum processor time for probing an open file, in nanoseconds.
    static let openingWork: Int64 = 5_000_000_000
    /// The range of times on an item's timeline, in nanoseconds: ±36 years. Sums of a few such times cannot overflow.
    static let time: ClosedRange<Int64> = -(1 << 60)...(1 << 60)

    static func apply(to format: UnsafeMutablePointer<AVFormatContext>) {
        format.pointee.max_streams = streams
        format.pointee.probesize = probeBytes
        format.pointee.max_analyze_duration = probeTime
    }

    static func apply(to decoder: UnsafeMutablePointer<AVCodecContext>) {
        decoder.pointee.max_pixels = pixels
        decoder.pointee.max_samples = samples
    }
}

extension Int64 {
    /// The value clamped to ``ReadingLimits/time``.
    var boundedTime: Int64 { Swift.min(Swift.max(self, ReadingLimits.time.lowerBound), ReadingLimits.time.upperBound) }
}
