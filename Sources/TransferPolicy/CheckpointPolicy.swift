/// The times at which a part file is synchronised and its durable length is stored.
package enum CheckpointPolicy {
    /// The new bytes after which a checkpoint is due, if ``shortestInterval`` has passed.
    package static let byteInterval: Int64 = 8 * 1024 * 1024
    /// The shortest time between two checkpoints.
    package static let shortestInterval = Duration.seconds(1)
    /// The time after which a checkpoint is due with any new bytes.
    package static let longestInterval = Duration.seconds(5)

    /// Returns whether a checkpoint is due.
    /// - Parameters:
    ///   - newBytes: the bytes that were written since the last checkpoint.
    ///   - elapsed: the time since the last checkpoint, or since the start of the run.
    package static func isDue(newBytes: Int64, elapsed: Duration) -> Bool {
        guard newBytes > 0 else { return false }
        return elapsed >= longestInterval || (newBytes >= byteInterval && elapsed >= shortestInterval)
    }

    /// Returns the time until the next checkpoint of a transfer, if no more bytes arrive, or nil if there is nothing to
    /// store.
    package static func delay(newBytes: Int64, elapsed: Duration) -> Duration? {
        guard newBytes > 0 else { return nil }
        return max(.zero, (newBytes >= byteInterval ? shortestInterval : longestInterval) - elapsed)
    }
}
