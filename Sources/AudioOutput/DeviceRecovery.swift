import SystemCalls

/// The schedule of attempts to reopen a lost device: ten attempts, 50 ms to 1 s apart, then only with a new reason
/// (``renew(at:)``), so that a device that stays away costs nothing. A pure value.
package struct DeviceRecovery: Sendable, Equatable {
    package static let limit = 10
    private static let first: Int64 = 50_000_000
    private static let longest: Int64 = 1_000_000_000
    /// The time after which a working device resets the number of attempts.
    private static let proof: Int64 = 5_000_000_000

    /// The number of attempts since the device last worked.
    package private(set) var tries = 0
    /// The host time of the next attempt; nil while one is under way, while the device works, and after the last
    /// attempt.
    package private(set) var next: Int64?
    /// Whether all attempts have failed.
    package private(set) var isGivenUp = false
    /// The host time of the last success.
    private var workedSince: Int64?

    /// The number of attempts that a wrong clock counts for, because such a device delays the video until the fault is
    /// detected.
    private static let clockCost = 4

    /// Records a loss of the device.
    package init(lostAt now: Int64, hasWrongClock: Bool = false) {
        if hasWrongClock { tries = Self.clockCost }
        schedule(now)
    }

    /// Records another loss after a success.
    ///
    /// - Returns: Whether the device had worked for so long that the attempts are counted anew.
    package mutating func lost(at now: Int64, hasWrongClock: Bool = false) -> Bool {
        let isNew = workedSince.map { now - $0 >= Self.proof } ?? false
        workedSince = nil
        if isNew { tries = 0 }
        if hasWrongClock { tries += Self.clockCost }
        schedule(now)
        return isNew
    }

    /// Records the start of an attempt.
    package mutating func begin() {
        tries += 1
        next = nil
    }

    package mutating func failed(at now: Int64) { schedule(now) }
    package mutating func succeeded(at now: Int64) { workedSince = now }

    /// Restarts the attempts, because a device was connected or the user requested playback.
    package mutating func renew(at now: Int64) {
        if isGivenUp { beginAnew(at: now) }
    }

    /// Restarts the attempts for another device.
    package mutating func beginAnew(at now: Int64) { (isGivenUp, tries, next) = (false, 0, now) }

    private mutating func schedule(_ now: Int64) {
        isGivenUp = tries >= Self.limit
        next = isGivenUp ? nil : now + min(Self.first << min(tries, 10), Self.longest)
    }
}
