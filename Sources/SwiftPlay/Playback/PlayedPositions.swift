/// The media times at which an item was last audible, from which playback continues when a device is lost. A pure
/// value.
struct PlayedPositions: Equatable, Sendable {
    /// A reading of the device's position: a media time that was audible at a host time.
    struct PositionReading: Equatable, Sendable {
        /// The number of the ``ItemAudio`` that was audible.
        var audioNumber: UInt32
        /// The media time, in nanoseconds.
        var mediaTime: Int64
        /// The host time at which the media time was audible.
        var hostTime: Int64
    }

    /// The last reading of the device's position.
    private(set) var lastReading: PositionReading?
    /// The last reading before the device was lost; nil while a device plays.
    private var readingBeforeLoss: PositionReading?
    /// The longest time to extrapolate from the last reading, in nanoseconds. A device may be lost long after the last
    /// reading.
    private static let longestExtrapolation: Int64 = 60_000_000_000

    /// Records a reading of the device's position.
    mutating func record(_ reading: PositionReading) { lastReading = reading }
    /// Records that the device was lost: the last reading before the loss stays available.
    mutating func recordDeviceLoss() { readingBeforeLoss = readingBeforeLoss ?? lastReading }
    /// Records that a device plays again.
    mutating func recordDeviceReturn() { readingBeforeLoss = nil }
    /// Discards all readings.
    mutating func clear() { (lastReading, readingBeforeLoss) = (nil, nil) }

    /// Returns the media time that an item's audio has reached at host time `now`; nil if there is no reading for this
    /// audio.
    func mediaTime(of number: UInt32, at now: Int64, isPlaying: Bool, speed: Double) -> Int64? {
        guard let lastReading, lastReading.audioNumber == number else { return nil }
        return lastReading.mediaTime
            &+ (isPlaying ? Int64(Double(min(now - lastReading.hostTime, Self.longestExtrapolation)) * speed) : 0)
    }

    /// Returns the media time up to which an item's audio was audible on a lost or stalled device; nil while a device
    /// plays.
    func lastAudibleTime(_ number: UInt32, isStalled: Bool) -> Int64? {
        let reading = readingBeforeLoss ?? (isStalled ? lastReading : nil)
        return reading.flatMap { $0.audioNumber == number ? $0.mediaTime : nil }
    }
}
