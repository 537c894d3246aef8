/// The time at which the banner of a notification is shown: after the woken program has finished, or after 30 s.
package struct BannerSchedule: Hashable, Sendable {
    /// The longest time for which a banner waits for the program.
    package static let longestDelay = Duration.seconds(30)

    package private(set) var isShown = false
    /// The time at which the banner is shown at the latest.
    package let deadline: Duration

    /// Creates the schedule of a banner.
    /// - Parameter wakesProgram: whether the program is woken for the notification. Otherwise the banner is shown at
    ///   the next check.
    package init(wakesProgram: Bool, now: Duration) { deadline = wakesProgram ? now + Self.longestDelay : now }

    /// Records that the woken program has completed or exited, and returns whether the banner is shown now.
    package mutating func handleCompletion() -> Bool { show() }

    /// Returns whether the banner is shown now, because its time has come.
    package mutating func checkTime(now: Duration) -> Bool { now >= deadline && show() }

    private mutating func show() -> Bool {
        defer { isShown = true }
        return !isShown
    }
}
