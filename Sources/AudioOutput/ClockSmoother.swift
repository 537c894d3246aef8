import SystemCalls

/// A delay-locked loop: a straight line through the jittery positions that a device reports.
///
/// The line never jumps and always rises: each report changes its slope slightly. If a report differs by more than
/// ``jumpLimit``, because the device or the machine stalled, the line restarts there. In the first half second it
/// follows quickly. Only the filter uses floating point; the clock's results are whole frames and nanoseconds.
package struct ClockSmoother: Sendable {
    /// The limit of jitter, 40 ms.
    package static let jumpLimit = 0.040
    private static let fastNanoseconds: Int64 = 500_000_000

    private let rate: Double
    private let nominal: Double
    private var began: Int64 = 0
    private var drift = 0.0
    /// The device frame at ``time``.
    package private(set) var frame = 0.0
    /// The host time in nanoseconds.
    package private(set) var time: Int64 = 0
    /// The slope in frames per nanosecond.
    package private(set) var slope: Double
    package private(set) var isAnchored = false

    package init(rate: Int) {
        self.rate = Double(rate)
        nominal = Double(rate) / Double(MonotonicTime.nanosecondsPerSecond)
        slope = nominal
    }

    /// Forgets the line, but not the device's drift, which remains valid across pauses.
    package mutating func reset() { isAnchored = false }

    /// Returns the device frame at a host time.
    package func frame(at time: Int64) -> Double { frame + slope * Double(time - self.time) }

    /// Adds a report: device frame `measured` was heard at host time `time`.
    package mutating func update(measured: Double, time now: Int64) {
        guard isAnchored else {
            anchor(measured, now)
            began = now
            return
        }
        let elapsed = now - time
        guard elapsed > 0 else { return }
        let predicted = frame(at: now)
        let error = (measured - predicted) / rate
        guard abs(error) <= Self.jumpLimit else { return anchor(measured, now) }
        let isFast = now - began < Self.fastNanoseconds
        let seconds = Double(min(elapsed, 50_000_000)) / Double(MonotonicTime.nanosecondsPerSecond)
        if !isFast { drift = limited(drift + error * seconds * 0.4, 0.003) }
        frame = predicted
        time = now
        slope = nominal * (1 + drift + limited(error / (isFast ? 0.08 : 0.8), isFast ? 0.05 : 0.005))
    }

    private mutating func anchor(_ measured: Double, _ now: Int64) {
        frame = measured
        time = now
        slope = nominal * (1 + drift)
        isAnchored = true
    }

    private func limited(_ value: Double, _ limit: Double) -> Double { min(max(value, -limit), limit) }
}
