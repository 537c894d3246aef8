import SystemCalls

/// The shape of PCM sound: interleaved `Float32` samples between -1 and 1.
package struct AudioFormat: Sendable, Equatable {
    /// Frames per second.
    package let rate: Int
    /// Samples per frame.
    package let channels: Int
    /// Where each of them is heard, in their order; empty where nobody knows.
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

    /// - Parameter speakers: taken where they are as many as the channels.
    init(rate: Int, _ speakers: [Speaker], channels: Int) {
        self.rate = rate
        self.channels = channels
        self.speakers = speakers.count == channels ? speakers : []
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
