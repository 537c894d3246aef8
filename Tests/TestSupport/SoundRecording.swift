import Foundation

/// What a listener heard: 48 kHz, the left channel, placed on the host clock.
package struct SoundRecording: Sendable {
    package static let rate = 48_000
    /// -1 to 1.
    package let samples: [Float]
    /// The right channel, as long as ``samples``.
    package let right: [Float]
    /// Host time of the first sample, in nanoseconds; good to a few milliseconds.
    package let startTime: Int64

    package init(samples: [Float], right: [Float]? = nil, startTime: Int64 = 0) {
        self.samples = samples
        self.right = right ?? samples
        self.startTime = startTime
    }

    /// Seconds.
    package var duration: Double { Double(samples.count) / Double(Self.rate) }

    /// Host time of a sample.
    package func time(of index: Int) -> Int64 { startTime + Int64(index) * 1_000_000_000 / Int64(Self.rate) }
    /// The sample at a host time, within the recording.
    package func index(at time: Int64) -> Int {
        min(max(0, Int((time - startTime) * Int64(Self.rate) / 1_000_000_000)), samples.count)
    }

    /// The part from `start` to `end`, in host time.
    package func between(_ start: Int64, _ end: Int64) -> SoundRecording {
        let range = index(at: start)..<max(index(at: start), index(at: end))
        return SoundRecording(
            samples: Array(samples[range]), right: Array(right[range]), startTime: time(of: range.lowerBound))
    }

    /// The part from the first sound to the last, without the silence around it.
    package func trimmed(threshold: Float = 0.005) -> SoundRecording {
        guard let first = samples.firstIndex(where: { abs($0) > threshold }),
            let last = samples.lastIndex(where: { abs($0) > threshold })
        else { return SoundRecording(samples: [], startTime: startTime) }
        return SoundRecording(
            samples: Array(samples[first...last]), right: Array(right[first...last]), startTime: time(of: first))
    }
}
