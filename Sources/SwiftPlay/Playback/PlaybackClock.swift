import SystemCalls

/// The media time as a function of host time: a pure value. The clock runs from an anchor at a rate. With audio, the
/// audio device is the master clock, whose position corrects this clock.
struct PlaybackClock: Sendable, Equatable {
    /// The anchor's media time, nanoseconds.
    private(set) var media: Int64 = 0
    /// The anchor's host time, nanoseconds.
    private(set) var host: Int64 = 0
    /// Media seconds per second; 0 = stopped.
    private(set) var rate: Double = 0
    /// Before host time `begin.host` the clock stays at `begin.media`.
    private var begin = Begin()
    private struct Begin: Equatable { var media = Int64.min, host = Int64.min }

    /// A larger difference to the device, in nanoseconds, counts as a jump that the picture follows at once.
    static let jump: Int64 = 60_000_000
    /// The share of the difference that each measurement corrects.
    static let gain = 0.08

    func time(at host: Int64) -> Int64 { host < begin.host ? begin.media : max(begin.media, line(at: host)) }

    private func line(at host: Int64) -> Int64 { media &+ Self.nanoseconds(Double(host - self.host) * rate) }

    /// Returns the host time of a media time; nil while the clock is stopped.
    func hostTime(of media: Int64) -> Int64? {
        guard rate > 0 else { return nil }
        return host + Self.nanoseconds((Double(media) - Double(self.media)) / rate)
    }

    /// Clamps to 127 years, so that an absurd timestamp or rate does not trap.
    private static func nanoseconds(_ value: Double) -> Int64 { Int64(min(max(value, -4e18), 4e18)) }

    mutating func start(at media: Int64, host: Int64, rate: Double) {
        (self.media, self.host, self.rate, begin) = (media, host, rate, Begin())
    }

    /// Starts the clock so that it reaches `media` at `host`, which may be in the past. Before that it stays at
    /// `media`.
    mutating func start(at media: Int64, notBefore host: Int64, rate: Double) {
        (self.media, self.host, self.rate, begin) = (media, host, rate, Begin(media: media, host: host))
    }

    mutating func stop(at host: Int64) {
        media = time(at: host)
        (self.host, rate, begin) = (host, 0, Begin())
    }

    mutating func set(_ media: Int64, host: Int64) {
        (self.media, self.host, begin) = (media, host, Begin())
    }

    mutating func changeRate(_ rate: Double, at host: Int64) {
        media = time(at: host)
        (self.host, self.rate, begin) = (host, rate, Begin())
    }

    /// The largest change of the clock's speed by corrections while the device is new or has just stalled. Half a
    /// second is corrected within a few seconds, which is not visible. The limit applies to elapsed time, because the
    /// interval between measurements varies.
    static let calmShare = 0.15
    private static let longestStep: Int64 = 50_000_000

    /// Corrects the clock by a measured position of the device.
    ///
    /// - Parameters:
    ///   - isCalm: Whether the clock approaches the position slowly instead of jumping.
    /// - Returns: The difference before the correction, device minus clock, nanoseconds.
    @discardableResult
    mutating func follow(media measured: Int64, host: Int64, isCalm: Bool = false) -> Int64 {
        // Follow the line even before the clock's start: the device plays silence then.
        let predicted = line(at: host)
        let error = measured &- predicted
        let passed = Double(min(max(host &- self.host, 0), Self.longestStep)) * rate
        self.host = host
        if isCalm, error.magnitude < 1_000_000_000 {
            media =
                predicted
                + Int64(min(max(Double(error) * Self.gain, -passed * Self.calmShare), passed * Self.calmShare))
        } else {
            media = error.magnitude > UInt64(Self.jump) ? measured : predicted + Int64(Double(error) * Self.gain)
        }
        return error
    }
}
