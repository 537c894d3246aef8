import SystemCalls

/// Time limits of tests: conversion to host time in nanoseconds, and polling of a condition until a time limit.
package enum Deadline {
    /// Returns the host time, in nanoseconds, at which a wait ends that may last for `timeout`.
    ///
    /// After a limit of 5 s or more a test gives up, whatever the program under test promises. Such a limit is extended
    /// fourfold: a machine whose disk is busy starts programs 10 s late.
    package static func after(_ timeout: Duration) -> Int64 {
        MonotonicTime.now + nanoseconds(timeout >= .seconds(5) ? timeout * 4 : timeout)
    }

    /// Returns a duration in nanoseconds.
    package static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * MonotonicTime.nanosecondsPerSecond + attoseconds / 1_000_000_000
    }

    /// Calls `condition` every `interval` until it returns a value or `timeout` has passed.
    ///
    /// Use this method for conditions without a notification, such as the appearance of a file.
    ///
    /// - Returns: the value of `condition`; nil if `condition` returned nil until `timeout` had passed.
    package static func poll<Value, Failure: Error>(
        for timeout: Duration, every interval: Duration = .milliseconds(2), _ condition: () throws(Failure) -> Value?
    ) throws(Failure) -> Value? {
        let deadline = after(timeout)
        while true {
            if let value = try condition() { return value }
            if MonotonicTime.now >= deadline { return nil }
            var noEntries: [Poll.Entry] = []
            _ = try? Poll.wait(&noEntries, until: min(deadline, after(interval)))
        }
    }
}
