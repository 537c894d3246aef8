import SystemCalls

/// A delay-locked loop: a straight line through the jittery positions that a device reports.
///
/// The line never jumps and always rises: each report changes its slope slightly. If a report differs by more than
/// ``jumpLimit``, because the device or the machine stalled, the line restarts at that report. In its first half second
/// the line follows reports quickly. Only this filter uses floating point; the clock's results are whole frames and
/// nanoseconds.
package struct ClockSmoother: Sendable {
    /// The largest deviation of a report from the line that counts as jitter, in seconds: 40 ms.
    package static let jumpLimit = 0.040
    /// The time in nanoseconds after the start of the line in which the line follows reports quickly.
    private static let fastPhaseNanoseconds: Int64 = 500_000_000

    /// The nominal sample rate in Hz.
    private let rate: Double
    /// The slope of a device clock without deviation, in frames per nanosecond.
    private let nominalSlope: Double
    /// The host time at which the straight line started.
    private var lineStartTime: Int64 = 0
    /// The long-term deviation of the device's clock, as a fraction of the nominal rate.
    private var drift = 0.0
    /// The device frame that is heard at ``time``.
    package private(set) var frame = 0.0
    /// The host time of ``frame``, in nanoseconds.
    package private(set) var time: Int64 = 0
    /// The current slope of the line, in frames per nanosecond.
    package private(set) var slope: Double
    /// Whether the line has started: a report arrived since the last reset.
    package private(set) var hasDeviceReport = false

    package init(rate: Int) {
        self.rate = Double(rate)
        nominalSlope = Double(rate) / Double(MonotonicTime.nanosecondsPerSecond)
        slope = nominalSlope
    }

    /// Discards the line, but not the device's drift, which remains valid across pauses.
    package mutating func reset() { hasDeviceReport = false }

    /// Returns the device frame at a host time.
    package func frame(at time: Int64) -> Double { frame + slope * Double(time - self.time) }

    /// Adds a report: device frame `measured` was heard at host time `time`.
    package mutating func update(measured: Double, time now: Int64) {
        guard hasDeviceReport else {
            startLine(measured, now)
            lineStartTime = now
            return
        }
        let elapsed = now - time
        guard elapsed > 0 else { return }
        let predictedFrame = frame(at: now)
        let error = (measured - predictedFrame) / rate
        guard abs(error) <= Self.jumpLimit else { return startLine(measured, now) }
        let isFast = now - lineStartTime < Self.fastPhaseNanoseconds
        let seconds = Double(min(elapsed, 50_000_000)) / Double(MonotonicTime.nanosecondsPerSecond)
        if !isFast { drift = clamped(drift + error * seconds * 0.4, toMagnitude: 0.003) }
        frame = predictedFrame
        time = now
        slope = nominalSlope * (1 + drift + clamped(error / (isFast ? 0.08 : 0.8), toMagnitude: isFast ? 0.05 : 0.005))
    }

    /// Starts the line at a report.
    private mutating func startLine(_ measured: Double, _ now: Int64) {
        frame = measured
        time = now
        slope = nominalSlope * (1 + drift)
        hasDeviceReport = true
    }

    /// Returns `value` clamped to ±`limit`.
    private func clamped(_ value: Double, toMagnitude limit: Double) -> Double { min(max(value, -limit), limit) }
}
