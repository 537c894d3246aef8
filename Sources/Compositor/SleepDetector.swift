/// The detector of wake-ups of the machine. A pure value.
///
/// Two sources report a sleep: logind's signal, and a comparison of two clocks, one of which stops while the machine
/// sleeps. The first report of a sleep counts; the second is ignored.
struct SleepDetector: Equatable, Sendable {
    /// The shortest difference of the clocks that counts as a sleep, in nanoseconds.
    static let threshold: Int64 = 1_000_000_000

    /// The machine's total sleep time at the last reported wake-up, in nanoseconds.
    private var asleep: Int64
    /// logind has announced a sleep whose end has not been reported yet.
    private var isPreparing = false

    /// - Parameter asleep: The machine's total sleep time so far, in nanoseconds.
    init(asleep: Int64) { self.asleep = asleep }

    /// Handles logind's signal `PrepareForSleep`.
    ///
    /// - Parameters:
    ///   - begins: The signal's argument: true before a sleep, false after it.
    ///   - now: The machine's total sleep time so far, in nanoseconds.
    /// - Returns: Whether the machine has woken up.
    mutating func prepareForSleep(_ begins: Bool, asleep now: Int64) -> Bool {
        guard !begins else {
            isPreparing = true
            return false
        }
        defer { (asleep, isPreparing) = (now, false) }
        return isPreparing || now - asleep >= Self.threshold
    }

    /// Compares the clocks.
    ///
    /// - Parameter now: The machine's total sleep time so far, in nanoseconds.
    /// - Returns: Whether the machine has woken up.
    mutating func look(asleep now: Int64) -> Bool {
        guard now - asleep >= Self.threshold else { return false }
        (asleep, isPreparing) = (now, false)
        return true
    }
}
