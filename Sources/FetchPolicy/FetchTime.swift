/// A moment in the clocks that background fetch uses.
///
/// Intervals and deadlines use the boot time, which no user can set. The hours of a person's habits use the local time.
package struct FetchTime: Hashable, Sendable {
    /// The time since the machine started, including suspension.
    package let bootTime: Duration
    /// The wall-clock time in seconds since 1970.
    package let wallSeconds: Int64
    /// The difference of local time to UTC in seconds.
    package let utcOffset: Int

    package static let secondsPerSlot: Int64 = 900
    package static let slotsPerDay = 96
    package static let secondsPerDay: Int64 = 86_400

    /// Creates a moment. Impossible values of the wall clock are clamped.
    package init(bootTime: Duration, wallSeconds: Int64, utcOffset: Int = 0) {
        self.bootTime = bootTime
        self.wallSeconds = min(max(wallSeconds, -(1 << 40)), 1 << 40)
        self.utcOffset = min(max(utcOffset, -86_400), 86_400)
    }

    /// The local time in seconds since 1970.
    package var localSeconds: Int64 { wallSeconds + Int64(utcOffset) }

    /// The number of the local day since 1970.
    package var day: LocalDay { LocalDay(containing: localSeconds) }

    /// The quarter hour of the local day, 0 to 95.
    package var slot: Int { Int((localSeconds - day.start) / Self.secondsPerSlot) }

    /// Returns the boot time of a local time, if no clock is set and the zone stays the same.
    package func bootTime(ofLocalSeconds seconds: Int64) -> Duration { bootTime + .seconds(seconds - localSeconds) }

    /// Returns the local time of a boot time, if no clock is set and the zone stays the same.
    package func localSeconds(ofBootTime time: Duration) -> Int64 {
        localSeconds + (time - bootTime).components.seconds
    }

    /// Returns the same moment plus a duration, if no clock is set.
    package func advanced(by duration: Duration) -> FetchTime {
        FetchTime(
            bootTime: bootTime + duration, wallSeconds: wallSeconds + duration.components.seconds, utcOffset: utcOffset)
    }

    /// Returns the text of a local time, such as `13:05`.
    package static func text(ofLocalSeconds seconds: Int64) -> String {
        let minutes = (seconds - flooredQuotient(seconds, secondsPerDay) * secondsPerDay) / 60
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

/// A day of the local calendar.
package struct LocalDay: Hashable, Comparable, Sendable {
    /// The number of days since 1 January 1970.
    package let number: Int

    package init(number: Int) { self.number = number }

    /// Creates the day that contains a local time in seconds since 1970.
    package init(containing localSeconds: Int64) {
        number = Int(flooredQuotient(localSeconds, FetchTime.secondsPerDay))
    }

    /// The local time in seconds since 1970 at which the day starts.
    package var start: Int64 { Int64(number) * FetchTime.secondsPerDay }

    /// Whether the day is a Saturday or a Sunday. 1 January 1970 was a Thursday.
    package var isWeekend: Bool {
        let weekday = ((number + 3) % 7 + 7) % 7
        return weekday >= 5
    }

    package static func < (first: LocalDay, second: LocalDay) -> Bool { first.number < second.number }

    /// Returns the day a number of days later.
    package func advanced(by days: Int) -> LocalDay { LocalDay(number: number + days) }
}

/// Returns the quotient rounded down, also for negative numbers.
func flooredQuotient(_ value: Int64, _ divisor: Int64) -> Int64 {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
}
