/// Decides when the machine has woken up. A pure value.
///
/// Two sources report a sleep: logind's signal, and the clocks, of which one stands still while the machine sleeps. The
/// first report of a sleep counts, and the second one does not.
struct SleepDetector: Equatable, Sendable {
    /// The shortest jump of the clocks that counts as a sleep, nanoseconds.
    static let threshold: Int64 = 1_000_000_000

    /// How long the machine had slept at the last wake-up that was reported, nanoseconds.
    private var asleep: Int64
    /// logind has announced a sleep whose end was not reported yet.
    private var isPreparing = false

    /// - Parameter asleep: nanoseconds that the machine has slept so far.
    init(asleep: Int64) { self.asleep = asleep }

    /// Handles logind's signal `PrepareForSleep`.
    ///
    /// - Parameters:
    ///   - begins: the signal's argument: true before a sleep, false after it.
    ///   - now: nanoseconds that the machine has slept so far.
    /// - Returns: whether the machine has woken up.
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
    /// - Parameter now: nanoseconds that the machine has slept so far.
    /// - Returns: whether the machine has woken up.
    mutating func look(asleep now: Int64) -> Bool {
        guard now - asleep >= Self.threshold else { return false }
        (asleep, isPreparing) = (now, false)
        return true
    }
}
