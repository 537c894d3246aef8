import SystemCalls

/// The shape of PCM sound: interleaved `Float32` samples between -1 and 1.
package struct AudioFormat: Sendable, Equatable {
    /// Frames per second.
    package let rate: Int
    /// Samples per frame.
    package let channels: Int

    package init(rate: Int, channels: Int) {
        self.rate = rate
        self.channels = channels
    }

    /// How many whole frames sound in `nanoseconds`.
    package func frames(in nanoseconds: Int64) -> Int {
        Int(nanoseconds * Int64(rate) / MonotonicTime.nanosecondsPerSecond)
    }

    /// How long `frames` sound, in nanoseconds.
    package func nanoseconds(of frames: Int) -> Int64 {
        Int64(frames) * MonotonicTime.nanosecondsPerSecond / Int64(rate)
    }
}
