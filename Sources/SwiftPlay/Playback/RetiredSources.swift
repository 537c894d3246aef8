import MediaPipeline
import SystemCalls

/// Sources that are no longer needed and whose threads are joined when they end, so that a hanging source blocks no
/// thread.
struct RetiredSources {
    private var sources: [(source: any MediaSource, deadline: Int64)] = []

    /// The interval between attempts to join, nanoseconds.
    private static let retryInterval: Int64 = 10_000_000

    /// Interrupts a source and adds it.
    mutating func add(_ source: any MediaSource, now: Int64) {
        source.interrupt()
        sources.append((source, now + MediaSourceClosing.patience))
    }

    /// Joins the threads that have ended, and abandons sources whose deadline has passed.
    ///
    /// - Returns: Host time at which to call again; nil if no source is left.
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
