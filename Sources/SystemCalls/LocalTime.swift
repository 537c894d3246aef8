import Glibc

/// The time zone of the machine.
package enum LocalTime {
    /// Returns the difference of local time to UTC in seconds at a calendar time.
    ///
    /// - Parameter seconds: The calendar time in seconds since 1970.
    package static func utcOffset(at seconds: Int64) -> Int {
        var time = time_t(seconds), local = tm()
        // Reads the zone file again if the zone of the machine was changed; `localtime_r` need not do that.
        tzset()
        guard localtime_r(&time, &local) != nil else { return 0 }
        return local.tm_gmtoff
    }
}
