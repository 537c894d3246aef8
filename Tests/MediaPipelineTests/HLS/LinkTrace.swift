import Foundation
import TestSupport

/// The throughput of a simulated network link over time, in steps of one second. The last rate lasts without end.
struct LinkTrace {
    /// The rates in bits per second, one for each second of time; all are positive.
    let rates: [Double]
    /// For each second of time, the total number of bits that arrive before it.
    private let deliveredBits: [Double]

    init(rates: [Double]) {
        self.rates = rates.map { max($0, 1_000) }
        var sum = 0.0
        deliveredBits = self.rates.map { rate in
            defer { sum += rate }
            return sum
        }
    }

    /// Creates a link whose rate changes in steps.
    ///
    /// - Parameter steps: The duration of each step in whole seconds, and its rate in Mb/s.
    init(steps: [(seconds: Int, megabits: Double)]) {
        self.init(rates: steps.flatMap { Array(repeating: $0.megabits * 1_000_000, count: $0.seconds) })
    }

    /// Creates a random link: a log-normal autoregressive process of first order. About once a minute the rate drops to
    /// a tenth for 3–8 s.
    ///
    /// - Parameter mean: The expected rate without these drops, in Mb/s.
    init(mean: Double, seconds: Int, generator: inout SeededGenerator) {
        let (correlation, deviation) = (0.95, 0.5)
        var logRateDeviation = deviation * Self.normalRandom(&generator)
        var dropSecondsLeft = 0
        self.init(
            rates: (0..<seconds).map { _ in
                let innovation = (1 - correlation * correlation).squareRoot() * deviation
                logRateDeviation = correlation * logRateDeviation + innovation * Self.normalRandom(&generator)
                if dropSecondsLeft > 0 {
                    dropSecondsLeft -= 1
                } else if Double.random(in: 0..<1, using: &generator) < 1 / 60 {
                    dropSecondsLeft = Int.random(in: 3...8, using: &generator)
                }
                return mean * 1_000_000 * exp(logRateDeviation - deviation * deviation / 2)
                    * (dropSecondsLeft > 0 ? 0.1 : 1)
            })
    }

    /// Returns the bits that the link delivers between the start and `time`, in seconds.
    func bits(until time: Double) -> Double {
        let secondIndex = min(Int(max(time, 0)), rates.count - 1)
        return deliveredBits[secondIndex] + (time - Double(secondIndex)) * rates[secondIndex]
    }

    /// Returns the time at which `bits` have arrived if the transfer starts at `start`, in seconds.
    func end(ofTransfer bits: Double, from start: Double) -> Double {
        let targetBits = self.bits(until: start) + bits
        var secondIndex = min(Int(max(start, 0)), rates.count - 1)
        while secondIndex + 1 < rates.count, deliveredBits[secondIndex + 1] < targetBits { secondIndex += 1 }
        return Double(secondIndex) + (targetBits - deliveredBits[secondIndex]) / rates[secondIndex]
    }

    /// Returns a normally distributed number (Box–Muller method).
    static func normalRandom(_ generator: inout SeededGenerator) -> Double {
        let (radius, angle) = (
            Double.random(in: Double.leastNonzeroMagnitude..<1, using: &generator),
            Double.random(in: 0..<1, using: &generator)
        )
        return (-2 * log(radius)).squareRoot() * cos(2 * Double.pi * angle)
    }
}
