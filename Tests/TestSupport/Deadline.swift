import SystemCalls

/// Turns the patience of a test into a moment of host time.
package enum Deadline {
    /// The moment `patience` from now, in host nanoseconds.
    package static func after(_ patience: Duration) -> Int64 { MonotonicTime.now + nanoseconds(patience) }

    package static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * MonotonicTime.nanosecondsPerSecond + attoseconds / 1_000_000_000
    }

    /// Asks `condition` every `interval` until it answers something or `patience` is over.
    ///
    /// For conditions nobody announces, such as a file that appears. A look at the clock is not a proof: the answer is.
    package static func poll<Answer, Failure: Error>(
        for patience: Duration, every interval: Duration = .milliseconds(2), _ condition: () throws(Failure) -> Answer?
    ) throws(Failure) -> Answer? {
        let end = after(patience)
        while true {
            if let answer = try condition() { return answer }
            if MonotonicTime.now >= end { return nil }
            var nothing: [Poll.Entry] = []
            _ = try? Poll.wait(&nothing, until: min(end, after(interval)))
        }
    }
}
