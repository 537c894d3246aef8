import SystemCalls

/// The media time as a function of host time: a pure value. The clock runs from an anchor at a rate. With audio, the
/// audio device is the master clock, whose position corrects this clock.
struct PlaybackClock: Sendable, Equatable {
    /// The media time from which the clock runs, in nanoseconds.
    private(set) var anchorMediaTime: Int64 = 0
    /// The host time at which the clock has the media time ``anchorMediaTime``, in nanoseconds.
    private(set) var anchorHostTime: Int64 = 0
    /// The seconds of media time that the clock advances in a second of host time; 0 while it is stopped.
    private(set) var rate: Double = 0
    /// The scheduled start: until its host time the clock stays at its media time.
    private var startPoint = StartPoint()
    /// A media time and the host time at which the clock starts from it.
    private struct StartPoint: Equatable { var mediaTime = Int64.min, hostTime = Int64.min }

    /// The difference to the device's position, in nanoseconds, above which the clock jumps to that position.
    static let jumpThreshold: Int64 = 60_000_000
    /// The fraction of the difference to the device's position that each measurement corrects.
    static let correctionFraction = 0.08

    /// Returns the media time at a host time.
    func time(at hostTime: Int64) -> Int64 {
        hostTime < startPoint.hostTime
            ? startPoint.mediaTime : max(startPoint.mediaTime, extrapolatedTime(at: hostTime))
    }

    /// Returns the time that the clock would have at a host time if it also ran before its scheduled start.
    private func extrapolatedTime(at hostTime: Int64) -> Int64 {
        anchorMediaTime &+ Self.nanoseconds(Double(hostTime - anchorHostTime) * rate)
    }

    /// Returns the host time of a media time; nil while the clock is stopped.
    func hostTime(of mediaTime: Int64) -> Int64? {
        guard rate > 0 else { return nil }
        return anchorHostTime + Self.nanoseconds((Double(mediaTime) - Double(anchorMediaTime)) / rate)
    }

    /// Converts to whole nanoseconds, clamped to 127 years, so that an absurd timestamp or rate does not trap.
    private static func nanoseconds(_ value: Double) -> Int64 { Int64(min(max(value, -4e18), 4e18)) }

    /// Starts the clock at a media time and a host time, with a rate.
    mutating func start(at mediaTime: Int64, hostTime: Int64, rate: Double) {
        (anchorMediaTime, anchorHostTime, self.rate, startPoint) = (mediaTime, hostTime, rate, StartPoint())
    }

    /// Starts the clock so that it reaches `mediaTime` at `hostTime`, which may be in the past. Before that it stays at
    /// `mediaTime`.
    mutating func start(at mediaTime: Int64, notBefore hostTime: Int64, rate: Double) {
        (anchorMediaTime, anchorHostTime, self.rate) = (mediaTime, hostTime, rate)
        startPoint = StartPoint(mediaTime: mediaTime, hostTime: hostTime)
    }

    /// Stops the clock at its present time.
    mutating func stop(at hostTime: Int64) {
        anchorMediaTime = time(at: hostTime)
        (anchorHostTime, rate, startPoint) = (hostTime, 0, StartPoint())
    }

    /// Makes the clock jump to a media time. The rate stays.
    mutating func set(_ mediaTime: Int64, hostTime: Int64) {
        (anchorMediaTime, anchorHostTime, startPoint) = (mediaTime, hostTime, StartPoint())
    }

    /// Changes the clock's rate without a jump of its time.
    mutating func changeRate(_ rate: Double, at hostTime: Int64) {
        anchorMediaTime = time(at: hostTime)
        (anchorHostTime, self.rate, startPoint) = (hostTime, rate, StartPoint())
    }

    /// The largest fraction by which corrections change the clock's speed while the device is new or has just stalled.
    /// A difference of half a second is corrected within a few seconds, which is not visible. The limit applies to
    /// elapsed time, because the time between measurements varies.
    static let slowCorrectionRate = 0.15
    /// The longest time between two measurements that counts for ``slowCorrectionRate``, in nanoseconds.
    private static let longestMeasurementInterval: Int64 = 50_000_000

    /// Corrects the clock by a measured position of the audio device.
    ///
    /// - Parameters:
    ///   - avoidsJump: Whether the clock approaches the position slowly instead of jumping.
    /// - Returns: The difference before the correction, device minus clock, in nanoseconds.
    @discardableResult
    mutating func follow(mediaTime measuredTime: Int64, hostTime: Int64, avoidsJump: Bool = false) -> Int64 {
        // Before its scheduled start, too, correct the clock by the device, which plays silence until then.
        let predictedTime = extrapolatedTime(at: hostTime)
        let error = measuredTime &- predictedTime
        let elapsed = Double(min(max(hostTime &- anchorHostTime, 0), Self.longestMeasurementInterval)) * rate
        anchorHostTime = hostTime
        if avoidsJump, error.magnitude < 1_000_000_000 {
            anchorMediaTime =
                predictedTime
                + Int64(
                    min(
                        max(Double(error) * Self.correctionFraction, -elapsed * Self.slowCorrectionRate),
                        elapsed * Self.slowCorrectionRate))
        } else {
            anchorMediaTime =
                error.magnitude > UInt64(Self.jumpThreshold)
                ? measuredTime : predictedTime + Int64(Double(error) * Self.correctionFraction)
        }
        return error
    }
}
