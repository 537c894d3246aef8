/// Measures the rate of the last second of a download.
///
/// The window keeps at most ``capacity`` observations, however often it is updated.
package struct DownloadRateWindow: Sendable, Equatable {
    /// The number of bytes that had arrived at one time.
    private struct Observation: Equatable {
        /// The host time in nanoseconds.
        let time: Int64
        /// The number of bytes that had arrived at that time.
        let bytes: Int64
    }

    /// The length of the window, in nanoseconds.
    private static let duration = Int64(nanosecondsOf: 1)
    /// The greatest number of observations that the window keeps.
    private static let capacity = 16

    /// The observations of about one second, oldest first.
    private var observations: [Observation] = []

    package init() {}

    /// Records the bytes that have arrived since the start of the download.
    ///
    /// - Parameter now: The host time, in nanoseconds. Observations closer than a tenth of the window are ignored.
    package mutating func update(bytes: Int64, at now: Int64) {
        if let last = observations.last, now.clampedDifference(last.time) < Self.duration / 10 { return }
        observations.append(Observation(time: now, bytes: bytes))
        // Keep one observation that is older than the window, so that the rate covers at least one second.
        while observations.count > 2, now.clampedDifference(observations[1].time) >= Self.duration {
            observations.removeFirst()
        }
        if observations.count > Self.capacity { observations.removeFirst() }
    }

    /// The download rate in bits per second; nil while the observations cover less than a second.
    package var bitsPerSecond: Double? {
        guard let oldestObservation = observations.first, let newestObservation = observations.last else { return nil }
        let time = newestObservation.time.clampedDifference(oldestObservation.time)
        guard time >= Self.duration else { return nil }
        return Double(max(newestObservation.bytes.clampedDifference(oldestObservation.bytes), 0)) * 8 / time.inSeconds
    }
}
