import SystemCalls

/// How often, and when, a device that was lost is opened again: a pure value. Ten tries, 50 ms to 1 s apart, and then
/// not by itself any more: only when there is a new reason (``renew(at:)``), since a device that is gone for good must
/// not cost anything.
package struct DeviceRecovery: Sendable, Equatable {
    package static let limit = 10
    private static let first: Int64 = 50_000_000
    private static let longest: Int64 = 1_000_000_000
    /// A device that worked so long is taken for a good one: the tries before it are forgotten.
    private static let proof: Int64 = 5_000_000_000

    /// Tries since it last worked.
    package private(set) var tries = 0
    /// Host time of the next try; nil while one is under way, while the device works, and once it is given up.
    package private(set) var next: Int64?
    /// All tries are used up.
    package private(set) var isGivenUp = false
    /// Host time at which the last try succeeded.
    private var workedSince: Int64?

    /// What a wrong clock costs in tries: it is there as soon as the device is, and holds up the picture until it is
    /// seen.
    private static let clockCost = 4

    /// The device was lost at host time `now`.
    package init(lostAt now: Int64, hasWrongClock: Bool = false) {
        if hasWrongClock { tries = Self.clockCost }
        schedule(now)
    }

    /// It was lost once more after it came back.
    ///
    /// - Returns: whether it had worked for so long that this is another story.
    package mutating func lost(at now: Int64, hasWrongClock: Bool = false) -> Bool {
        let isNew = workedSince.map { now - $0 >= Self.proof } ?? false
        workedSince = nil
        if isNew { tries = 0 }
        if hasWrongClock { tries += Self.clockCost }
        schedule(now)
        return isNew
    }

    /// A try begins.
    package mutating func begin() {
        tries += 1
        next = nil
    }

    package mutating func failed(at now: Int64) { schedule(now) }
    package mutating func succeeded(at now: Int64) { workedSince = now }

    /// Something has changed: a device was plugged in, or the user pressed play.
    package mutating func renew(at now: Int64) {
        if isGivenUp { beginAnew(at: now) }
    }

    /// It is another device that is tried from now on.
    package mutating func beginAnew(at now: Int64) { (isGivenUp, tries, next) = (false, 0, now) }

    private mutating func schedule(_ now: Int64) {
        isGivenUp = tries >= Self.limit
        next = isGivenUp ? nil : now + min(Self.first << min(tries, 10), Self.longest)
    }
}
