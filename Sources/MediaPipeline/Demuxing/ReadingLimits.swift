import CFFmpeg

/// How much of a file's word is taken for it: what a container or a codec may claim and still be read.
enum ReadingLimits {
    /// Streams in one container; a whole transponder has some 150.
    static let streams: Int32 = 256
    /// Bytes that are looked at to find out what a file is, and microseconds of it: FFmpeg's defaults, stated here.
    static let probeBytes: Int64 = 5_000_000
    static let probeTime: Int64 = 5_000_000
    /// Pixels of one picture: 8K UHD has 33 million.
    static let pixels: Int64 = 8192 * 8192
    /// Samples a channel in one block of sound.
    static let samples: Int64 = 1 << 20
    /// Frames that may come of one block.
    static let resampledFrames: Int32 = 1 << 22
    /// Frames of sound per second.
    static let rates: ClosedRange<Int32> = 1000...1_536_000
    /// Answers "try again" in a row.
    static let attempts = 10_000
    /// Nanoseconds of a processor's work that finding out what is in a file may take, once it is open.
    static let openingWork: Int64 = 5_000_000_000
    /// A moment on an item's timeline lies this near to its start, nanoseconds: 36 years. Sums of a few never overflow.
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
    /// Held within ``ReadingLimits/time``.
    var boundedTime: Int64 { Swift.min(Swift.max(self, ReadingLimits.time.lowerBound), ReadingLimits.time.upperBound) }
}
