import SystemCalls

/// The format of PCM audio: interleaved `Float32` samples between -1 and 1.
package struct AudioFormat: Sendable, Equatable {
    /// The sample rate in Hz.
    package let rate: Int
    /// The number of channels.
    package let channels: Int
    /// The speakers of the channels, in order; empty if unknown.
    package let speakers: [Speaker]

    package init(rate: Int, channels: Int) {
        self.rate = rate
        self.channels = channels
        speakers = Speaker.usual(channels) ?? []
    }

    package init(rate: Int, speakers: [Speaker]) {
        self.rate = rate
        channels = speakers.count
        self.speakers = speakers
    }

    /// Creates a format.
    ///
    /// - Parameter speakers: The speakers; ignored if their number is not that of the channels.
    init(rate: Int, _ speakers: [Speaker], channels: Int) {
        self.rate = rate
        self.channels = channels
        self.speakers = speakers.count == channels ? speakers : []
    }

    /// Returns the number of whole frames in a duration.
    package func frames(in nanoseconds: Int64) -> Int {
        Int(nanoseconds * Int64(rate) / MonotonicTime.nanosecondsPerSecond)
    }

    /// Returns the duration of frames in nanoseconds.
    package func nanoseconds(of frames: Int) -> Int64 {
        Int64(frames) * MonotonicTime.nanosecondsPerSecond / Int64(rate)
    }
}
