import MediaPipeline
import SystemCalls

/// Sources that are no longer needed. While the player runs, only threads that have ended are joined, so that a hanging
/// source does not block the player.
struct ClosingSources {
    /// The sources, with the host times after which their threads are abandoned.
    private var sources: [(source: any MediaSource, deadline: Int64)] = []

    /// The time between attempts to join the threads, in nanoseconds.
    private static let retryInterval: Int64 = 10_000_000

    /// Interrupts a source and adds it.
    mutating func add(_ source: any MediaSource, now: Int64) {
        source.interrupt()
        sources.append((source, now + MediaSourceClosing.closeTimeout))
    }

    /// Joins the threads that have ended, and abandons sources whose deadline has passed.
    ///
    /// - Returns: The host time at which to call this method again; nil if no source is left.
    mutating func join(now: Int64) -> Int64? {
        sources.removeAll { entry in
            if entry.source.join(until: 0) { return true }
            if now >= entry.deadline { entry.source.detachThreads() }
            return now >= entry.deadline
        }
        return sources.isEmpty ? nil : now + Self.retryInterval
    }

    /// Joins the threads of all sources, and abandons the threads that still run at their source's deadline.
    mutating func joinAllThreads() {
        for entry in sources where !entry.source.join(until: entry.deadline) { entry.source.detachThreads() }
        sources = []
    }
}
