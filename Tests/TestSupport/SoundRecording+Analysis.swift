import Foundation

extension SoundRecording {
    /// A stretch of the recording.
    package struct Stretch: Sendable, Equatable {
        /// Host time of its first sample, in nanoseconds.
        package let start: Int64
        /// Nanoseconds.
        package let duration: Int64
    }

    /// The loudest sample.
    package var peak: Float { samples.reduce(0) { max($0, abs($1)) } }

    /// Root mean square.
    package var level: Double {
        guard !samples.isEmpty else { return 0 }
        return (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)).squareRoot()
    }

    /// The stretches in which nothing is louder than `threshold`, at least `shortest` long.
    ///
    /// The fixtures' quiet tone crosses zero every 2.5 ms, so that 4 ms is the shortest silence that can be told from
    /// it. Use it on a ``trimmed(threshold:)`` recording: silence before and after counts otherwise.
    package func silentGaps(threshold: Float = 0.004, shortest: Duration = .milliseconds(4)) -> [Stretch] {
        let least = Int(Deadline.nanoseconds(shortest) * Int64(Self.rate) / 1_000_000_000)
        var gaps: [Stretch] = []
        var start = 0
        for index in 0...samples.count where index == samples.count || abs(samples[index]) > threshold {
            if index - start >= max(least, 1) {
                gaps.append(Stretch(start: time(of: start), duration: time(of: index) - time(of: start)))
            }
            start = index + 1
        }
        return gaps
    }

    /// The amplitude of one tone, 0 to 1: a full-scale sine is 1. (Goertzel's algorithm, over the whole recording.)
    package func toneAmplitude(_ hertz: Double) -> Double { Self.amplitude(samples[...], hertz) }

    /// The power of one tone: half the square of its amplitude, as its mean square would be.
    package func tonePower(_ hertz: Double) -> Double {
        let amplitude = toneAmplitude(hertz)
        return amplitude * amplitude / 2
    }

    /// The amplitude of one tone in windows of `length`, for fades and ramps.
    package func toneEnvelope(_ hertz: Double, window length: Duration = .milliseconds(10)) -> [(
        time: Int64, amplitude: Double
    )] {
        let step = Int(Deadline.nanoseconds(length) * Int64(Self.rate) / 1_000_000_000)
        return stride(from: 0, through: samples.count - step, by: step).map {
            (time(of: $0), Self.amplitude(samples[$0..<$0 + step], hertz))
        }
    }

    /// When each beep of the fixtures begins, in host nanoseconds.
    package var beeps: [Int64] {
        // A beep's attack: over 0.3 after 10 ms that were not; the tone's quarter period, 0.25 ms, is the error.
        var found: [Int64] = []
        var quietSince = -Self.rate
        for (index, sample) in samples.enumerated() where abs(sample) > 0.3 {
            if index - quietSince > Self.rate / 100 { found.append(time(of: index)) }
            quietSince = index
        }
        return found
    }

    /// Jumps that neither the fixtures' tones nor their beeps contain, in host nanoseconds: what is heard as a click.
    ///
    /// Two notches take out the tones, whatever their phase and level; what is left of a steady sound is the codec's
    /// noise. A seam that jumps by d leaves about d. The edges of beeps, which are sharp by nature, are left out with
    /// 12 ms around them.
    package func clicks(threshold: Float = 0.006) -> [Int64] {
        guard samples.count > 4 else { return [] }
        let (a, b) = (2 * cos(2 * Float.pi * 200 / Float(Self.rate)), 2 * cos(2 * Float.pi * 1000 / Float(Self.rate)))
        let filter: [Float] = [1, -(a + b), 2 + a * b, -(a + b), 1]
        let edges = beeps.flatMap { [$0, $0 + 40_000_000] }.map { index(at: $0) }
        let margin = Self.rate * 12 / 1000
        var found: [Int64] = []
        var last = -Self.rate
        for index in 4..<samples.count {
            let left = (0..<5).reduce(Float(0)) { $0 + filter[$1] * samples[index - $1] }
            guard abs(left) > threshold, !edges.contains(where: { abs($0 - index) < margin }) else { continue }
            if index - last > Self.rate / 200 { found.append(time(of: index)) }
            last = index
        }
        return found
    }

    private static func amplitude(_ samples: ArraySlice<Float>, _ hertz: Double) -> Double {
        guard !samples.isEmpty else { return 0 }
        let coefficient = 2 * cos(2 * Double.pi * hertz / Double(rate))
        var (one, two) = (0.0, 0.0)
        for sample in samples { (one, two) = (Double(sample) + coefficient * one - two, one) }
        return (max(0, one * one + two * two - coefficient * one * two)).squareRoot() * 2 / Double(samples.count)
    }
}
