/// What was heard of an item when, so that playing goes on there where a device is lost. A pure value.
struct HeardMoments: Equatable, Sendable {
    struct Moment: Equatable, Sendable {
        /// The number of the feed.
        var feed: UInt32
        /// Media time, nanoseconds.
        var media: Int64
        /// Host time at which that was heard.
        var host: Int64
    }

    /// What was heard when that was last asked.
    private(set) var last: Moment?
    /// The same when the device was lost, for as long as it is.
    private var beforeLoss: Moment?
    /// What is reckoned with at most, where a device was lost long after that was last asked; nanoseconds.
    private static let longestPassed: Int64 = 60_000_000_000

    mutating func note(_ moment: Moment) { last = moment }
    mutating func deviceLost() { beforeLoss = beforeLoss ?? last }
    mutating func deviceReturned() { beforeLoss = nil }
    mutating func clear() { (last, beforeLoss) = (nil, nil) }

    /// The media time that a feed has reached at host time `now`; nil where nothing of it was heard.
    func media(of feed: UInt32, at now: Int64, isPlaying: Bool, speed: Double) -> Int64? {
        guard let last, last.feed == feed else { return nil }
        return last.media &+ (isPlaying ? Int64(Double(min(now - last.host, Self.longestPassed)) * speed) : 0)
    }

    /// The media time up to which a feed was heard on a device that is lost, or that falters; nil where one plays.
    func until(_ feed: UInt32, isFaltering: Bool) -> Int64? {
        let moment = beforeLoss ?? (isFaltering ? last : nil)
        return moment.flatMap { $0.feed == feed ? $0.media : nil }
    }
}
