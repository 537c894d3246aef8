import SystemCalls

/// The format of PCM audio: interleaved `Float32` samples between -1 and 1.
package struct AudioFormat: Sendable, Equatable {
    /// The sample rate in Hz.
    package let rate: Int
    /// The number of channels.
    package let channels: Int
    /// The speaker of each channel, in the order of the channels; empty if unknown.
    package let speakers: [Speaker]

    /// Creates a format with the usual speakers for the number of channels.
    package init(rate: Int, channels: Int) {
        self.rate = rate
        self.channels = channels
        speakers = Speaker.defaultLayout(channels: channels) ?? []
    }

    package init(rate: Int, speakers: [Speaker]) {
        self.rate = rate
        channels = speakers.count
        self.speakers = speakers
    }

    /// Creates a format from a rate, speakers and a number of channels.
    ///
    /// - Parameter speakers: The speakers; ignored if their number differs from `channels`.
    init(rate: Int, _ speakers: [Speaker], channels: Int) {
        self.rate = rate
        self.channels = channels
        self.speakers = speakers.count == channels ? speakers : []
    }

    /// Returns the number of whole frames in a duration in nanoseconds.
    package func frames(in nanoseconds: Int64) -> Int {
        Int(Self.scale(nanoseconds, by: Int64(rate), over: MonotonicTime.nanosecondsPerSecond))
    }

    /// Returns the duration of a number of frames, in nanoseconds.
    package func nanoseconds(of frames: Int) -> Int64 {
        Self.scale(Int64(frames), by: MonotonicTime.nanosecondsPerSecond, over: Int64(rate))
    }

    /// Returns `value * factor / divisor`, rounded towards zero, without an overflow of the product: nanoseconds times
    /// 48,000 Hz exceed 64 bits after 53 hours. A result beyond the range of `Int64` becomes the nearest limit.
    private static func scale(_ value: Int64, by factor: Int64, over divisor: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        let (product, productOverflows) = quotient.multipliedReportingOverflow(by: factor)
        let (sum, sumOverflows) = product.addingReportingOverflow(remainder * factor / divisor)
        return productOverflows || sumOverflows ? (value < 0 ? .min : .max) : sum
    }
}
