import Foundation

/// A stereo recording at 48 kHz whose samples have known times on the host clock.
package struct AudioRecording: Sendable {
    /// The sample rate of all recordings, in hertz.
    package static let rate = 48_000
    /// The samples of the left channel, −1 to 1.
    package let samples: [Float]
    /// The samples of the right channel, as many as in ``samples``.
    package let rightSamples: [Float]
    /// The host time of the first sample, in nanoseconds, exact to a few milliseconds.
    package let startTime: Int64

    package init(samples: [Float], right: [Float]? = nil, startTime: Int64 = 0) {
        self.samples = samples
        self.rightSamples = right ?? samples
        self.startTime = startTime
    }

    /// The duration of the recording, in seconds.
    package var duration: Double { Double(samples.count) / Double(Self.rate) }

    /// Returns the host time of the sample with this index, in nanoseconds.
    package func time(of index: Int) -> Int64 { startTime + Int64(index) * 1_000_000_000 / Int64(Self.rate) }
    /// Returns the index of the sample at host time `time` (nanoseconds), at least 0 and at most the sample count.
    package func index(at time: Int64) -> Int {
        min(max(0, Int((time - startTime) * Int64(Self.rate) / 1_000_000_000)), samples.count)
    }

    /// Returns the part of the recording from `start` to `end`, both host times in nanoseconds.
    package func between(_ start: Int64, _ end: Int64) -> AudioRecording {
        let range = index(at: start)..<max(index(at: start), index(at: end))
        return AudioRecording(
            samples: Array(samples[range]), right: Array(rightSamples[range]), startTime: time(of: range.lowerBound))
    }

    /// Returns the recording without the samples of at most `threshold` at its beginning and end.
    package func trimmed(threshold: Float = 0.005) -> AudioRecording {
        guard let first = samples.firstIndex(where: { abs($0) > threshold }),
            let last = samples.lastIndex(where: { abs($0) > threshold })
        else { return AudioRecording(samples: [], startTime: startTime) }
        return AudioRecording(
            samples: Array(samples[first...last]), right: Array(rightSamples[first...last]), startTime: time(of: first))
    }
}

extension AudioRecording: CustomStringConvertible {
    /// The duration instead of all samples, which would make a failed expectation megabytes long.
    package var description: String { "AudioRecording(\(duration) s)" }
}
