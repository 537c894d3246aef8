/// The media times at which an item was last audible, from which playback continues when a device is lost. A pure
/// value.
struct HeardMoments: Equatable, Sendable {
    struct Moment: Equatable, Sendable {
        /// The number of the feed.
        var feed: UInt32
        /// Media time, nanoseconds.
        var media: Int64
        /// Host time at which the media time was audible.
        var host: Int64
    }

    /// The last reading of the device's position.
    private(set) var last: Moment?
    /// The last reading before the device was lost; nil while a device plays.
    private var beforeLoss: Moment?
    /// The longest time to extrapolate from the last reading, nanoseconds. A device may be lost long after the last
    /// reading.
    private static let longestPassed: Int64 = 60_000_000_000

    mutating func note(_ moment: Moment) { last = moment }
    mutating func deviceLost() { beforeLoss = beforeLoss ?? last }
    mutating func deviceReturned() { beforeLoss = nil }
    mutating func clear() { (last, beforeLoss) = (nil, nil) }

    /// Returns the media time that a feed has reached at host time `now`; nil if no reading of the feed exists.
    func media(of feed: UInt32, at now: Int64, isPlaying: Bool, speed: Double) -> Int64? {
        guard let last, last.feed == feed else { return nil }
        return last.media &+ (isPlaying ? Int64(Double(min(now - last.host, Self.longestPassed)) * speed) : 0)
    }

    /// Returns the media time up to which a feed was audible on a lost or stalled device; nil while a device plays.
    func until(_ feed: UInt32, isFaltering: Bool) -> Int64? {
        let moment = beforeLoss ?? (isFaltering ? last : nil)
        return moment.flatMap { $0.feed == feed ? $0.media : nil }
    }
}
