import SystemCalls

/// Which moment of the item is now: a pure value. Runs from an anchor at a rate, and is pulled towards the sound
/// device's clock, which is the master where there is sound.
struct PlaybackClock: Sendable, Equatable {
    /// Media nanoseconds at ``host``.
    private(set) var media: Int64 = 0
    /// Host nanoseconds.
    private(set) var host: Int64 = 0
    /// 0 = it stands.
    private(set) var rate: Double = 0
    /// Before that host time it stands at that moment.
    private var begin = Begin()
    private struct Begin: Equatable { var media = Int64.min, host = Int64.min }

    /// A device that is further off than this has jumped, and the picture follows at once.
    static let jump: Int64 = 60_000_000
    /// Part of the difference that is taken over with each measurement.
    static let gain = 0.08

    func time(at host: Int64) -> Int64 { host < begin.host ? begin.media : max(begin.media, line(at: host)) }

    private func line(at host: Int64) -> Int64 { media &+ Self.nanoseconds(Double(host - self.host) * rate) }

    /// When a moment comes; nil while the clock stands.
    func hostTime(of media: Int64) -> Int64? {
        guard rate > 0 else { return nil }
        return host + Self.nanoseconds((Double(media) - Double(self.media)) / rate)
    }

    /// Held within 127 years: a stamp or a rate that is absurd must not trap.
    private static func nanoseconds(_ value: Double) -> Int64 { Int64(min(max(value, -4e18), 4e18)) }

    mutating func start(at media: Int64, host: Int64, rate: Double) {
        (self.media, self.host, self.rate, begin) = (media, host, rate, Begin())
    }

    /// `media` comes at `host`, which may be past; before that the clock stands there.
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

    /// Part of the time passed by which it goes faster or slower at most while the device is a new one, or was silent
    /// for a moment: half a second is made up for within some seconds, and nobody sees it. However often it is
    /// measured: a picture that is waited for is looked at often.
    static let calmShare = 0.15
    private static let longestStep: Int64 = 50_000_000

    /// Takes a measurement of the device into account.
    ///
    /// - Parameter isCalm: it never jumps.
    /// - Returns: the difference before it was, device minus clock.
    @discardableResult
    mutating func follow(media measured: Int64, host: Int64, isCalm: Bool = false) -> Int64 {
        // What has not begun is followed too: the device plays silence before it.
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
