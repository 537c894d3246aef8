/// A section of one item's audio to be written to the device.
struct SoundFeed<Source: Sendable>: Sendable {
    /// The number that identifies the feed in reports.
    var number: UInt32
    var source: Source
    var generation: UInt32
    /// Media time of the first audible sample; nil for that of the first block.
    var start: Int64?
    var speed: Double
    /// Media time at which the feed ends before its source does.
    var end: Int64?
    /// Host time at which ``start`` is to be audible; nil for directly after the samples in the ring.
    var startsAt: Int64?
    /// Whether the pitch stays constant at other speeds.
    var keepsPitch = true
}

/// The positions of feeds in the renderer's stream. A pure value: frames count from the last flush, times are
/// nanoseconds.
///
/// The thread "sound" works on a feed without holding the lock around this value. Its calls therefore carry the
/// ``epoch`` in which the work began, and are ignored once that epoch has ended.
struct SoundTimeline<Source: Sendable>: Sendable {
    typealias Feed = SoundFeed<Source>

    /// The frames of the stream that belong to one feed.
    private struct Segment {
        var number: UInt32
        var firstFrame: Int64
        /// Media time of the first frame; nil until the first block arrives.
        var origin: Int64?
        var speed: Double
    }

    /// The feed that continues the current one without a gap.
    private struct Following {
        var feed: Feed
        /// Media time of the current feed up to which silence is inserted if its audio ends earlier.
        var pictureEnd: Int64?
    }

    /// The number of flushes.
    private(set) var epoch: UInt32 = 0
    /// The feed that is being written.
    private(set) var feed: Feed?
    private var following: Following?
    private var lastNumber: UInt32 = 0
    /// The feeds in the stream, oldest first; the last one is being written.
    private var segments: [Segment] = []
    /// The number of frames written.
    private(set) var written: Int64 = 0
    private(set) var isPrimed = false
    /// The last feed has been played to its end.
    private(set) var hasEnded = false

    /// Whether two sources are the same object. A generic parameter cannot require a class here, because `any
    /// MediaSource` does not count as one.
    private static func isSame(_ one: Source, _ other: Source) -> Bool { (one as AnyObject) === (other as AnyObject) }

    /// The number of segments kept. A reading may still refer to an older segment.
    private static var segmentLimit: Int { 4 }
    /// Gaps shorter than about half a video frame are not filled with silence, nanoseconds.
    private static var shortestGap: Int64 { 15_000_000 }

    // MARK: Calls from any thread

    /// Removes all feeds. Positions restart at 0.
    mutating func flush() {
        epoch &+= 1
        (feed, following, segments, written) = (nil, nil, [], 0)
        (isPrimed, hasEnded) = (false, false)
    }

    /// Stops feeding.
    mutating func close() { feed = nil }

    /// Begins a feed, unless the same generation of the same source is being fed.
    ///
    /// - Parameter new: The feed; its number is assigned here.
    /// - Returns: The number of the feed that is being written.
    mutating func begin(_ new: Feed) -> UInt32 {
        if let present = feed, Self.isSame(present.source, new.source), present.generation == new.generation {
            return present.number
        }
        let new = numbered(new)
        (feed, following) = (new, nil)
        let origin = new.startsAt == nil ? new.start : nil
        segments = [Segment(number: new.number, firstFrame: written, origin: origin, speed: new.speed)]
        return new.number
    }

    /// Appends a feed to the current one, at the same speed.
    ///
    /// - Parameter pictureEnd: Media time of the current feed up to which silence is inserted.
    /// - Returns: The number of the new feed; nil if the current feed has ended or already has a next feed.
    mutating func follow(with new: Feed, after pictureEnd: Int64?) -> UInt32? {
        guard let present = feed, !hasEnded, following == nil else { return nil }
        var new = numbered(new)
        new.speed = present.speed
        following = Following(feed: new, pictureEnd: pictureEnd)
        return new.number
    }

    private mutating func numbered(_ feed: Feed) -> Feed {
        lastNumber &+= 1
        var feed = feed
        feed.number = lastNumber
        return feed
    }

    /// Removes the next feed.
    ///
    /// - Returns: false if it is already being written.
    mutating func unfollow(_ number: UInt32) -> Bool {
        guard following?.feed.number == number else { return false }
        following = nil
        return true
    }

    /// Moves the end of a feed.
    mutating func setEnd(_ end: Int64?, of number: UInt32) {
        if feed?.number == number { feed?.end = end }
        if following?.feed.number == number { following?.feed.end = end }
    }

    /// Continues a feed with another generation of its source.
    ///
    /// - Returns: false if the feed is not the current one or has ended.
    mutating func change(_ number: UInt32, to generation: UInt32) -> Bool {
        guard feed?.number == number, !hasEnded else { return false }
        feed?.generation = generation
        return true
    }

    // MARK: Calls from the thread "sound"

    /// Returns the media time of the feed's first frame. If the feed has no start, the time of its first block applies.
    ///
    /// - Returns: nil after a flush.
    mutating func origin(of feed: Feed, epoch: UInt32?, firstBlock time: Int64) -> Int64? {
        guard epoch == self.epoch, let last = segments.indices.last, segments[last].number == feed.number
        else { return nil }
        let origin = segments[last].origin ?? feed.start ?? time
        segments[last].origin = origin
        return origin
    }

    /// Positions a feed in the stream so that it is audible at a host time. If the feed is too late for that, its
    /// beginning is skipped.
    ///
    /// - Parameters:
    ///   - frame: The frame of the stream that is audible at that host time.
    ///   - limit: The number of frames of silence written at a time. At a greater distance the position stays open.
    /// - Returns: The number of frames before the feed; nil after a flush.
    mutating func lineUp(_ feed: Feed, at frame: Double, rate: Int, limit: Int, epoch: UInt32) -> Double? {
        guard epoch == self.epoch, let last = segments.indices.last else { return nil }
        let missing = frame - Double(written)
        guard missing < Double(limit) else { return missing }
        let late = max(-missing, 0) / Double(rate) * feed.speed * 1e9
        segments[last].firstFrame = written + Int64(max(missing, 0).rounded())
        segments[last].origin = (feed.start ?? 0) + Int64(min(late, 4e18))
        return missing
    }

    /// Counts written frames.
    mutating func wrote(_ frames: Int) { written += Int64(frames) }

    /// Makes the next feed the current one.
    ///
    /// - Parameter reached: Media time up to which the current feed was written.
    /// - Returns: The feed and the frames of silence before it; nil if no feed follows.
    mutating func join(after present: Feed, reached: Int64?, rate: Int, epoch: UInt32) -> (feed: Feed, silence: Int)? {
        guard epoch == self.epoch, !hasEnded, let next = following else { return nil }
        // An item's video may be longer than its audio.
        let pictureEnd = next.pictureEnd.map { min($0, present.end ?? .max) }
        var silence = 0
        if let pictureEnd, let reached = reached ?? present.start, pictureEnd - reached > Self.shortestGap {
            let missing = Double(min(pictureEnd - reached, 60_000_000_000)) / present.speed
            silence = Int(missing * Double(rate) / 1e9)
        }
        (feed, following) = (next.feed, nil)
        segments.append(
            Segment(
                number: next.feed.number, firstFrame: written + Int64(silence), origin: next.feed.start,
                speed: next.feed.speed))
        if segments.count > Self.segmentLimit { segments.removeFirst() }
        return (next.feed, silence)
    }

    /// Records that there is enough audio to start.
    ///
    /// - Returns: The feed's number on the first call after a flush; then nil.
    mutating func prime(epoch: UInt32) -> UInt32? {
        guard epoch == self.epoch, !isPrimed, let feed else { return nil }
        isPrimed = true
        return feed.number
    }

    /// Records that all feeds have been played.
    ///
    /// - Returns: The number of the last feed on the first call; nil if another feed follows.
    mutating func end() -> UInt32? {
        guard let feed, !hasEnded, following == nil else { return nil }
        hasEnded = true
        return feed.number
    }

    // MARK: Change of device

    /// Continues in an empty stream with the current feed at media time `origin`; nil for that of its next block.
    mutating func restart(at origin: Int64?) {
        if let feed { segments = [Segment(number: feed.number, firstFrame: 0, origin: origin, speed: feed.speed)] }
        written = 0
    }

    /// Continues in a stream that begins `frames` later and has `written` frames.
    mutating func shift(by frames: Int64, written: Int64) {
        self.written = written
        for index in segments.indices { segments[index].firstFrame -= frames }
    }

    // MARK: Positions

    /// Returns the media time of a feed at a frame of the stream; nil while it is unknown. Before the feed's first
    /// frame, the media time lies before the feed's start.
    func media(of number: UInt32, at frame: Int64, rate: Int) -> Int64? {
        guard let segment = segments.first(where: { $0.number == number }), let origin = segment.origin
        else { return nil }
        return origin + Int64(Double(frame - segment.firstFrame) * 1e9 / Double(rate) * segment.speed)
    }

    /// Returns the first frame of a feed; nil while it is unknown.
    func firstFrame(of number: UInt32) -> Int64? { segments.first { $0.number == number }?.firstFrame }
}
