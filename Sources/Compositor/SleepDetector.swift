/// Decides when the machine has woken up, by logind's word and by the clocks: once for each sleep, whichever tells first. A pure value.
struct SleepDetector: Equatable, Sendable {
    /// Shorter jumps of the clocks are no sleep; nanoseconds.
    static let threshold: Int64 = 1_000_000_000

    /// Nanoseconds of sleep that are accounted for.
    private var asleep: Int64
    /// logind has announced a sleep, and nothing has told of its end.
    private var isPreparing = false

    /// - Parameter asleep: nanoseconds that the machine has slept so far.
    init(asleep: Int64) { self.asleep = asleep }

    /// Takes in logind's `PrepareForSleep`.
    ///
    /// - Returns: whether the machine has woken up.
    mutating func prepareForSleep(_ begins: Bool, asleep now: Int64) -> Bool {
        guard !begins else {
            isPreparing = true
            return false
        }
        defer { (asleep, isPreparing) = (now, false) }
        return isPreparing || now - asleep >= Self.threshold
    }

    /// Takes in a look at the clocks.
    ///
    /// - Returns: whether the machine has woken up.
    mutating func look(asleep now: Int64) -> Bool {
        guard now - asleep >= Self.threshold else { return false }
        (asleep, isPreparing) = (now, false)
        return true
    }
}
