import MediaPipeline
import SystemCalls

/// Sources that are not needed any more, whose threads are joined as they end: a source that hangs holds up nothing.
struct RetiredSources {
    private var sources: [(source: any MediaSource, deadline: Int64)] = []

    /// Nanoseconds between two attempts to join.
    private static let retryInterval: Int64 = 10_000_000

    /// Interrupts a source, and takes it.
    mutating func add(_ source: any MediaSource, now: Int64) {
        source.interrupt()
        sources.append((source, now + MediaSourceClosing.patience))
    }

    /// Joins the threads that have ended; a source that is late is left behind.
    ///
    /// - Returns: host time at which to call again.
    mutating func join(now: Int64) -> Int64? {
        sources.removeAll { old in
            if old.source.join(until: 0) { return true }
            if now >= old.deadline { old.source.leaveBehind() }
            return now >= old.deadline
        }
        return sources.isEmpty ? nil : now + Self.retryInterval
    }

    /// Waits for all sources, each until its deadline.
    mutating func joinAll() {
        for old in sources where !old.source.join(until: old.deadline) { old.source.leaveBehind() }
        sources = []
    }
}
