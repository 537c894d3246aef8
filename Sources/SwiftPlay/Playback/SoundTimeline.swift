/// A stretch of one item's sound, on its way to the device.
struct SoundFeed<Source: Sendable>: Sendable {
    /// Names it in reports.
    var number: UInt32
    var source: Source
    var generation: UInt32
    /// Media time of the first sample that is to be heard; nil: that of the first block.
    var start: Int64?
    var speed: Double
    /// Media time at which it is over before its own end.
    var end: Int64?
    /// Host time at which ``start`` is to be heard; nil: right behind what is in the ring.
    var startsAt: Int64?
    /// Whether another speed leaves the pitch as it is.
    var keepsPitch = true
}

/// Which feeds are in the renderer's stream, and where. A pure value: frames count from the last flush, times are
/// nanoseconds.
///
/// The thread "sound" works on a feed without holding the lock around this value. So what it says about its work
/// carries the ``epoch`` in which it began, and counts only as long as that one lasts.
struct SoundTimeline<Source: Sendable>: Sendable {
    typealias Feed = SoundFeed<Source>

    /// Which frames of the stream are one feed's.
    private struct Segment {
        var number: UInt32
        var firstFrame: Int64
        /// Media time of the first frame; nil until the first block came.
        var origin: Int64?
        var speed: Double
    }

    /// What comes after the present feed without a gap.
    private struct Following {
        var feed: Feed
        /// Media time of the present feed up to which silence fills in where its sound ends earlier.
        var pictureEnd: Int64?
    }

    /// Counts the flushes.
    private(set) var epoch: UInt32 = 0
    /// The feed that is being written.
    private(set) var feed: Feed?
    private var following: Following?
    private var lastNumber: UInt32 = 0
    /// What the stream's frames are, oldest first; the last one is being written.
    private var segments: [Segment] = []
    /// Frames that were written.
    private(set) var written: Int64 = 0
    private(set) var isPrimed = false
    /// The last feed has been heard to its end.
    private(set) var hasEnded = false

    /// Whether two sources are one object. `any MediaSource` is no class type to a generic parameter.
    private static func isSame(_ one: Source, _ other: Source) -> Bool { (one as AnyObject) === (other as AnyObject) }

    /// Segments that are kept: a reading may still lie in an older one.
    private static var segmentLimit: Int { 4 }
    /// Less than half a frame of video is not waited for, nanoseconds.
    private static var shortestGap: Int64 { 15_000_000 }

    // MARK: the caller's side

    /// Forgets all feeds. Positions begin anew.
    mutating func flush() {
        epoch &+= 1
        (feed, following, segments, written) = (nil, nil, [], 0)
        (isPrimed, hasEnded) = (false, false)
    }

    /// Stops feeding.
    mutating func close() { feed = nil }

    /// Begins a feed, unless the same source's same generation is being fed.
    ///
    /// - Parameter new: its number is chosen here.
    /// - Returns: the number of the feed that is being written.
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

    /// Lets a feed follow the present one, at the same speed.
    ///
    /// - Parameter pictureEnd: media time of the present feed up to which silence fills in.
    /// - Returns: the number of the new feed; nil: it is too late, or another one follows already.
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

    /// Takes back that a feed follows.
    ///
    /// - Returns: false when it is being written already.
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

    /// Goes on with another generation of the feed's source.
    ///
    /// - Returns: false when there is nothing to go on from.
    mutating func change(_ number: UInt32, to generation: UInt32) -> Bool {
        guard feed?.number == number, !hasEnded else { return false }
        feed?.generation = generation
        return true
    }

    // MARK: the writer's side

    /// The media time of the feed's first frame, which its first block decides where nothing else does.
    ///
    /// - Returns: nil when there was a flush.
    mutating func origin(of feed: Feed, epoch: UInt32?, firstBlock time: Int64) -> Int64? {
        guard epoch == self.epoch, let last = segments.indices.last, segments[last].number == feed.number
        else { return nil }
        let origin = segments[last].origin ?? feed.start ?? time
        segments[last].origin = origin
        return origin
    }

    /// Puts a feed that is to be heard at a host time where that falls in the stream. What is too late by then begins
    /// where it would be.
    ///
    /// - Parameters:
    ///   - frame: the frame of the stream that is heard at that host time.
    ///   - limit: frames of silence that are written at a time: further away nothing is decided yet.
    /// - Returns: how many frames lie before it; nil when there was a flush.
    mutating func lineUp(_ feed: Feed, at frame: Double, rate: Int, limit: Int, epoch: UInt32) -> Double? {
        guard epoch == self.epoch, let last = segments.indices.last else { return nil }
        let missing = frame - Double(written)
        guard missing < Double(limit) else { return missing }
        let late = max(-missing, 0) / Double(rate) * feed.speed * 1e9
        segments[last].firstFrame = written + Int64(max(missing, 0).rounded())
        segments[last].origin = (feed.start ?? 0) + Int64(min(late, 4e18))
        return missing
    }

    /// Notes that frames were written.
    mutating func wrote(_ frames: Int) { written += Int64(frames) }

    /// Goes on with the feed that follows, if there is one.
    ///
    /// - Parameter reached: media time at which what was written of the present feed ends.
    /// - Returns: the feed, and the frames of silence before it.
    mutating func join(after present: Feed, reached: Int64?, rate: Int, epoch: UInt32) -> (feed: Feed, silence: Int)? {
        guard epoch == self.epoch, !hasEnded, let next = following else { return nil }
        // The picture of the first may be longer than its sound.
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

    /// Notes that there is enough to begin with.
    ///
    /// - Returns: the feed's number, once for each flush; nil after it.
    mutating func prime(epoch: UInt32) -> UInt32? {
        guard epoch == self.epoch, !isPrimed, let feed else { return nil }
        isPrimed = true
        return feed.number
    }

    /// Notes that all has been heard.
    ///
    /// - Returns: the number of the last feed, once; nil where another one follows.
    mutating func end() -> UInt32? {
        guard let feed, !hasEnded, following == nil else { return nil }
        hasEnded = true
        return feed.number
    }

    // MARK: another device

    /// Goes on in an empty stream, with the present feed at media time `origin` (nil: that of its next block).
    mutating func restart(at origin: Int64?) {
        if let feed { segments = [Segment(number: feed.number, firstFrame: 0, origin: origin, speed: feed.speed)] }
        written = 0
    }

    /// Goes on in a stream that begins `frames` later, and has `written` frames.
    mutating func shift(by frames: Int64, written: Int64) {
        self.written = written
        for index in segments.indices { segments[index].firstFrame -= frames }
    }

    // MARK: what is heard

    /// The media time of a feed at a frame of the stream; before the feed's turn it lies before its start. Nil while
    /// that is not known.
    func media(of number: UInt32, at frame: Int64, rate: Int) -> Int64? {
        guard let segment = segments.first(where: { $0.number == number }), let origin = segment.origin
        else { return nil }
        return origin + Int64(Double(frame - segment.firstFrame) * 1e9 / Double(rate) * segment.speed)
    }

    /// The first frame of a feed; nil while that is not known.
    func firstFrame(of number: UInt32) -> Int64? { segments.first { $0.number == number }?.firstFrame }
}
