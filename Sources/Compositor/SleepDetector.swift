/// Detects that the machine was asleep (suspended) and has woken up. A pure value.
///
/// Two sources report a wake-up: logind's signal, and the comparison of two clocks, one of which stops during sleep.
/// The first report of each wake-up counts; the second is ignored.
struct SleepDetector: Equatable, Sendable {
    /// The shortest time by which the clocks may differ before this counts as a sleep, in nanoseconds.
    static let clockDifferenceThreshold: Int64 = 1_000_000_000

    /// The machine's total sleep time at the last reported wake-up, or at the detector's creation, in nanoseconds.
    private var reportedSleepTime: Int64
    /// Whether logind has announced a sleep whose end has not been reported yet.
    private var isSleepAnnounced = false

    /// Creates the detector; `totalSleepTime` is the machine's total sleep time so far, in nanoseconds.
    init(totalSleepTime: Int64) { reportedSleepTime = totalSleepTime }

    /// Handles logind's signal `PrepareForSleep`.
    ///
    /// - Parameters:
    ///   - begins: The signal's argument: true before a sleep, false after it.
    ///   - totalSleepTime: The machine's total sleep time so far, in nanoseconds.
    /// - Returns: Whether the machine has woken up.
    mutating func prepareForSleep(_ begins: Bool, totalSleepTime: Int64) -> Bool {
        guard !begins else {
            isSleepAnnounced = true
            return false
        }
        defer { (reportedSleepTime, isSleepAnnounced) = (totalSleepTime, false) }
        return isSleepAnnounced || totalSleepTime - reportedSleepTime >= Self.clockDifferenceThreshold
    }

    /// Compares the two clocks, one of which stops while the machine sleeps.
    ///
    /// - Parameter totalSleepTime: The machine's total sleep time so far, in nanoseconds.
    /// - Returns: Whether the machine has woken up.
    mutating func detectWakeUp(totalSleepTime: Int64) -> Bool {
        guard totalSleepTime - reportedSleepTime >= Self.clockDifferenceThreshold else { return false }
        (reportedSleepTime, isSleepAnnounced) = (totalSleepTime, false)
        return true
    }
}
