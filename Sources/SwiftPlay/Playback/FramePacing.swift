/// When the next frame is shown, and whether it still is: a pure decision.
enum FramePacing {
    enum Verdict: Equatable, Sendable {
        /// Show it at this host time (or at once when that has passed).
        case show(at: Int64)
        /// Its time and that of its successor have passed: the successor is shown in its stead.
        case drop
    }

    /// - Parameters:
    ///   - due: host time at which the frame is to be seen.
    ///   - successorDue: host time of the one after it, when it is decoded already.
    ///   - now: host time.
    static func decide(due: Int64, successorDue: Int64?, now: Int64) -> Verdict {
        if let successorDue, successorDue <= now, due < now { return .drop }
        return .show(at: due)
    }

    /// Frames are handed over this much before their time, nanoseconds: the display server copies them and a screen shows them later
    /// still. Measured under a virtual screen, sound then meets picture within 3 ms; a real screen adds half a refresh, 8 ms at 60 Hz.
    static let lead: Int64 = 4_000_000

    /// A frame shown later than this counts as late, nanoseconds.
    static let tolerance: Int64 = 8_000_000
}
