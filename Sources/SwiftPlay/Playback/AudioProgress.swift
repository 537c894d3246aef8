/// How far an item's audio is on its way to being heard: a pure value.
///
/// An opened item starts in ``absent``, ``discarded(hasEnded:)`` or ``expected(deadline:)``. Each seek goes back to the
/// start: `expected` → `buffering` → `ready` ⇄ `playing` → `ended`. A failure ends in `absent` from everywhere.
enum AudioProgress: Hashable, Sendable {
    /// A run of blocks that the audio path writes to the device. The path's reports carry its number.
    struct Feed: Hashable, Sendable {
        var number: UInt32
        /// The rate that the samples are stretched for; 1 is as recorded.
        var speed: Double
    }

    /// What the device has reported of a feed that plays.
    enum Position: Hashable, Sendable {
        /// Nothing yet. The clock and the picture wait for the first position, until this host time at the latest.
        case awaited(until: Int64)
        case known
        /// Nothing in time: the picture plays without audio until a position is reported.
        case overdue
    }

    /// Where decoded audio goes.
    enum Output: Sendable {
        /// The player has no audio output: audio is decoded and dropped.
        case none
        /// The output cannot be opened: audio is not decoded.
        case unavailable
        case device
    }

    /// What the clock does about a position that the device reports.
    enum Correction: Hashable, Sendable {
        case none
        /// The first position: start the clock there.
        case start
        /// Pull the clock towards the position.
        case follow
        /// The audio began too far behind the picture: seek to the clock's time, so that the picture does not go back.
        case rejoin
    }

    /// No audio plays: the item has none, its track failed, or there is no device for it.
    case absent
    /// Audio is decoded to its end and not played.
    case discarded(hasEnded: Bool)
    /// The audio path has no audio of the item since the item was opened, or since the last seek. After the deadline
    /// (host time) the picture plays without audio.
    case expected(deadline: Int64)
    /// The audio path has too little audio to begin with.
    case buffering(Feed, deadline: Int64)
    /// There is enough audio to begin with, and the device does not play it.
    case ready(Feed)
    case playing(Feed, Position)
    /// The device has played the feed to its end.
    case ended(Feed)

    init(hasTrack: Bool, output: Output) {
        self =
            switch output {
            case .none where hasTrack: .discarded(hasEnded: false)
            case .device where hasTrack: .expected(deadline: .max)
            case .none, .unavailable, .device: .absent
            }
    }

    // MARK: state

    /// Whether the item's audio goes to the device, also when all of it has been played.
    var isForDevice: Bool {
        switch self {
        case .absent, .discarded: false
        case .expected, .buffering, .ready, .playing, .ended: true
        }
    }

    /// Whether there is audio for the device that has not been played to its end.
    var isUnfinished: Bool {
        switch self {
        case .absent, .discarded, .ended: false
        case .expected, .buffering, .ready, .playing: true
        }
    }

    /// Whether no more audio is to come.
    var hasEnded: Bool {
        switch self {
        case .absent, .ended, .discarded(hasEnded: true): true
        case .discarded(hasEnded: false), .expected, .buffering, .ready, .playing: false
        }
    }

    /// Whether the audio path has had enough audio to begin with.
    var isPrimed: Bool {
        switch self {
        case .absent, .discarded, .expected, .buffering: false
        case .ready, .playing, .ended: true
        }
    }

    var isDiscarded: Bool { if case .discarded = self { true } else { false } }

    var feed: Feed? {
        switch self {
        case .absent, .discarded, .expected: nil
        case .buffering(let feed, _), .ready(let feed), .playing(let feed, _), .ended(let feed): feed
        }
    }

    /// Host time until which playing waits for enough audio to begin with; nil where it does not wait.
    var deadline: Int64? {
        switch self {
        case .expected(let deadline), .buffering(_, let deadline): deadline
        case .absent, .discarded, .ready, .playing, .ended: nil
        }
    }

    /// Host time until which the clock waits for the device's first position; nil where it does not wait.
    var positionDeadline: Int64? {
        if case .playing(_, .awaited(let deadline)) = self { deadline } else { nil }
    }

    /// Whether buffered audio was stretched for another speed than `speed`.
    func isBuffered(forOtherThan speed: Double) -> Bool {
        guard isUnfinished, let feed else { return false }
        return feed.speed != speed
    }

    // MARK: transitions

    /// A seek begins: the audio that the path has is dropped.
    mutating func restart() {
        self =
            switch self {
            case .absent: .absent
            case .discarded: .discarded(hasEnded: false)
            case .expected, .buffering, .ready, .playing, .ended: .expected(deadline: .max)
            }
    }

    /// Another audio track is chosen, or none; a seek follows.
    mutating func select(hasTrack: Bool) {
        switch self {
        case .discarded: break
        case .absent where hasTrack: self = .expected(deadline: .max)
        case .absent, .expected, .buffering, .ready, .playing, .ended: if !hasTrack { self = .absent }
        }
    }

    /// Limits the wait for enough audio to begin with.
    mutating func wait(until deadline: Int64) {
        switch self {
        case .expected: self = .expected(deadline: deadline)
        case .buffering(let feed, _): self = .buffering(feed, deadline: deadline)
        case .absent, .discarded, .ready, .playing, .ended: break
        }
    }

    /// The audio path takes the item's audio. A feed that it has already keeps its speed.
    mutating func begin(_ new: Feed) {
        guard let deadline, feed?.number != new.number else { return }
        self = .buffering(new, deadline: deadline)
    }

    /// The audio path has joined the item's audio to that of the item before it.
    mutating func join(_ feed: Feed) {
        guard case .expected = self else { return }
        self = .ready(feed)
    }

    /// The audio path has enough of a feed to begin with.
    ///
    /// - Returns: whether the feed is this item's.
    mutating func primed(_ number: UInt32) -> Bool {
        guard let feed, feed.number == number else { return false }
        if case .buffering = self { self = .ready(feed) }
        return true
    }

    /// The device has played a feed to its end.
    mutating func ended(_ number: UInt32) {
        if let feed, feed.number == number { self = .ended(feed) }
    }

    /// The last block of audio that is not played was decoded.
    mutating func discardedLast() {
        if isDiscarded { self = .discarded(hasEnded: true) }
    }

    /// The device begins to play.
    ///
    /// - Parameter deadline: the host time until which the clock waits for the first position; nil: it does not wait.
    mutating func play(awaitingPositionUntil deadline: Int64?) {
        guard case .ready(let feed) = self else { return }
        self = .playing(feed, deadline.map { .awaited(until: $0) } ?? .known)
    }

    mutating func pause() {
        if case .playing(let feed, _) = self { self = .ready(feed) }
    }

    /// No more audio comes: the track or the device failed, or the audio did not begin in time.
    mutating func fail() { self = isDiscarded ? .discarded(hasEnded: true) : .absent }

    /// The device was asked for the position of a feed that plays.
    ///
    /// - Parameters:
    ///   - lag: clock time minus the position, media nanoseconds; nil: the device reports no position.
    ///   - now: host time.
    ///   - canSeek: whether the item can be sought in.
    mutating func update(lag: Int64?, now: Int64, canSeek: Bool) -> Correction {
        guard case .playing(let feed, let position) = self else { return .none }
        guard let lag else {
            if case .awaited(let deadline) = position, now >= deadline { self = .playing(feed, .overdue) }
            return .none
        }
        self = .playing(feed, .known)
        return switch position {
        case .awaited: .start
        case .known: .follow
        case .overdue: lag > PlaybackClock.jump && canSeek ? .rejoin : .follow
        }
    }
}
