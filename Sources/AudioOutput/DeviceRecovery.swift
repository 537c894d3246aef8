import SystemCalls

/// The schedule of attempts to reopen a lost device: ten attempts, 50 ms to 1 s apart. Further attempts are made only
/// after ``restartIfExhausted(at:)``, for example when a device is connected, so that a device that never returns costs
/// no processor time.
package struct DeviceRecovery: Sendable, Equatable {
    /// The number of failed attempts after which the device is reopened only after ``restartIfExhausted(at:)``.
    package static let attemptLimit = 10
    /// The delay before the first attempt, in nanoseconds; it doubles with each attempt.
    private static let firstDelay: Int64 = 50_000_000
    /// The maximum delay between two attempts, in nanoseconds.
    private static let longestDelay: Int64 = 1_000_000_000
    /// The duration of playback, in nanoseconds, after which attempts are counted from 0 again.
    private static let stableDuration: Int64 = 5_000_000_000

    /// The number of attempts to reopen the device since it last worked.
    package private(set) var attemptCount = 0
    /// The host time of the next attempt; nil during an attempt, while the device works, and after the last attempt.
    package private(set) var nextAttemptTime: Int64?
    /// Whether all attempts to reopen the device have failed.
    package private(set) var isExhausted = false
    /// The host time at which the device was reopened; nil if the device has failed again since then.
    private var workingSince: Int64?

    /// The loss of a device whose clock is wrong counts as this number of failed attempts to reopen it. Such a device
    /// delays the video until the fault is detected, so it is reopened less often.
    private static let wrongClockAttemptCount = 4

    /// Creates the schedule when the device is lost.
    package init(lostAt now: Int64, hasWrongClock: Bool = false) {
        if hasWrongClock { attemptCount = Self.wrongClockAttemptCount }
        scheduleNextAttempt(now)
    }

    /// Records that the device failed again after it was reopened.
    ///
    /// - Returns: Whether the device had worked for so long that the attempts are counted from 0 again.
    package mutating func recordDeviceFailure(at now: Int64, hasWrongClock: Bool = false) -> Bool {
        let wasStable = workingSince.map { now - $0 >= Self.stableDuration } ?? false
        workingSince = nil
        if wasStable { attemptCount = 0 }
        if hasWrongClock { attemptCount += Self.wrongClockAttemptCount }
        scheduleNextAttempt(now)
        return wasStable
    }

    /// Records the start of an attempt to reopen the device.
    package mutating func beginAttempt() {
        attemptCount += 1
        nextAttemptTime = nil
    }

    /// Records that an attempt has failed, and schedules the next one.
    package mutating func recordFailedAttempt(at now: Int64) { scheduleNextAttempt(now) }
    /// Records that the device was reopened.
    package mutating func recordReopening(at now: Int64) { workingSince = now }

    /// Restarts the attempts if all of them have failed. Called when a device is connected or the user requests
    /// playback.
    package mutating func restartIfExhausted(at now: Int64) {
        if isExhausted { restart(at: now) }
    }

    /// Restarts the attempts, because another device was selected.
    package mutating func restart(at now: Int64) { (isExhausted, attemptCount, nextAttemptTime) = (false, 0, now) }

    /// Sets the time of the next attempt; nil after the last attempt.
    private mutating func scheduleNextAttempt(_ now: Int64) {
        isExhausted = attemptCount >= Self.attemptLimit
        nextAttemptTime = isExhausted ? nil : now + min(Self.firstDelay << min(attemptCount, 10), Self.longestDelay)
    }
}
