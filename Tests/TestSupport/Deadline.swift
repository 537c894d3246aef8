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
    /// - Parameter interval: the time between two calls; nil for 2 ms at first, and later for a fortieth of the time
    ///   waited so far, at most 20 ms, because other tests need the processor.
    /// - Returns: the value of `condition`; nil if `condition` returned nil until `timeout` had passed.
    package static func poll<Value, Failure: Error>(
        for timeout: Duration, every interval: Duration? = nil, _ condition: () throws(Failure) -> Value?
    ) throws(Failure) -> Value? {
        let start = MonotonicTime.now, deadline = after(timeout)
        while true {
            if let value = try condition() { return value }
            let now = MonotonicTime.now
            if now >= deadline { return nil }
            let pause = interval.map(nanoseconds) ?? max(2_000_000, min((now - start) / 40, 20_000_000))
            var noEntries: [Poll.Entry] = []
            _ = try? Poll.wait(&noEntries, until: min(deadline, now + pause))
        }
    }
}
