import Foundation

extension AudioRecording {
    /// A part of the recording, by start time on the host clock and duration.
    package struct TimeSpan: Sendable, Equatable {
        /// The host time of the first sample, in nanoseconds.
        package let start: Int64
        /// The duration of the part, in nanoseconds.
        package let duration: Int64
    }

    /// The largest absolute value of a sample; full scale is 1.
    package var peak: Float { samples.reduce(0) { max($0, abs($1)) } }

    /// Returns the parts of at least the duration `shortest` in which no sample is above `threshold`.
    ///
    /// The quiet tone of the test clips (200 Hz) crosses zero every 2.5 ms, so 4 ms is the shortest detectable silence.
    /// Call this method on a ``trimmed(threshold:)`` recording, otherwise the silence at both ends counts too.
    package func silentGaps(threshold: Float = 0.004, shortest: Duration = .milliseconds(4)) -> [TimeSpan] {
        let minimumSampleCount = Int(Deadline.nanoseconds(shortest) * Int64(Self.rate) / 1_000_000_000)
        var gaps: [TimeSpan] = []
        var start = 0
        for index in 0...samples.count where index == samples.count || abs(samples[index]) > threshold {
            if index - start >= max(minimumSampleCount, 1) {
                gaps.append(TimeSpan(start: time(of: start), duration: time(of: index) - time(of: start)))
            }
            start = index + 1
        }
        return gaps
    }

    /// Returns the amplitude of the tone with this frequency over the whole recording (Goertzel's algorithm). A
    /// full-scale sine has amplitude 1.
    package func toneAmplitude(_ hertz: Double) -> Double { Self.amplitude(samples[...], hertz) }

    /// Returns the amplitude of the tone with this frequency in consecutive windows of equal duration, for tests of
    /// fades and ramps.
    package func toneEnvelope(_ hertz: Double, window windowDuration: Duration = .milliseconds(10)) -> [(
        time: Int64, amplitude: Double
    )] {
        let windowSampleCount = Int(Deadline.nanoseconds(windowDuration) * Int64(Self.rate) / 1_000_000_000)
        return stride(from: 0, through: samples.count - windowSampleCount, by: windowSampleCount).map {
            (time(of: $0), Self.amplitude(samples[$0..<$0 + windowSampleCount], hertz))
        }
    }

    /// The host times at which the beeps of the test clips begin, in nanoseconds.
    package var beepTimes: [Int64] {
        // A beep begins with a sample above 0.3 that follows at least 10 ms without such a sample. The error is at most
        // a quarter period of the beep's 1 kHz tone, 0.25 ms.
        var times: [Int64] = []
        var lastLoudIndex = -Self.rate
        for (index, sample) in samples.enumerated() where abs(sample) > 0.3 {
            if index - lastLoudIndex > Self.rate / 100 { times.append(time(of: index)) }
            lastLoudIndex = index
        }
        return times
    }

    /// Returns the host times of audible clicks, in nanoseconds: discontinuities that are part of neither the tones nor
    /// the beeps of the test clips.
    ///
    /// Two notch filters remove the tones of 200 Hz and 1 kHz with any phase and level; only codec noise remains. A
    /// discontinuity of height d remains as a peak of about d. The 12 ms before and after each edge of a beep are
    /// excluded.
    package func clickTimes(threshold: Float = 0.006) -> [Int64] {
        guard samples.count > 4 else { return [] }
        let (a, b) = (2 * cos(2 * Float.pi * 200 / Float(Self.rate)), 2 * cos(2 * Float.pi * 1000 / Float(Self.rate)))
        let filter: [Float] = [1, -(a + b), 2 + a * b, -(a + b), 1]
        let edges = beepTimes.flatMap { [$0, $0 + 40_000_000] }.map { index(at: $0) }
        let margin = Self.rate * 12 / 1000
        var times: [Int64] = []
        var lastClickIndex = -Self.rate
        for index in 4..<samples.count {
            let residual = (0..<5).reduce(Float(0)) { $0 + filter[$1] * samples[index - $1] }
            guard abs(residual) > threshold, !edges.contains(where: { abs($0 - index) < margin }) else { continue }
            if index - lastClickIndex > Self.rate / 200 { times.append(time(of: index)) }
            lastClickIndex = index
        }
        return times
    }

    /// Returns the amplitude of the tone with the frequency `hertz` in `samples`, with Goertzel's algorithm.
    private static func amplitude(_ samples: ArraySlice<Float>, _ hertz: Double) -> Double {
        guard !samples.isEmpty else { return 0 }
        let coefficient = 2 * cos(2 * Double.pi * hertz / Double(rate))
        var (lastState, previousState) = (0.0, 0.0)
        for sample in samples {
            (lastState, previousState) = (Double(sample) + coefficient * lastState - previousState, lastState)
        }
        return (max(0, lastState * lastState + previousState * previousState - coefficient * lastState * previousState))
            .squareRoot() * 2 / Double(samples.count)
    }
}
