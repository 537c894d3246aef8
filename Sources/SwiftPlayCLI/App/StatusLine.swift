import Dispatch
import SystemCalls

/// Updates the status line in the terminal, at most four times a second. Main queue only.
@MainActor
final class StatusLine {
    /// The shortest time between two updates in nanoseconds.
    private static let updateInterval: Int64 = 250_000_000

    /// Shows the status line, and returns whether it changes with time.
    private let update: () -> Bool
    /// The host time of the last update; nil before the first one.
    private var lastUpdateTime: Int64?
    /// The location of the last file whose name was written above the status line; nil before the first one.
    var announcedLocation: String?
    /// Whether an update is scheduled.
    private var isScheduled = false

    /// Creates a status line that is not shown yet.
    ///
    /// - Parameter update: Shows the status line, and returns whether it changes with time, so that it must be updated
    ///   again.
    init(update: @escaping () -> Bool) { self.update = update }

    /// Updates the status line now, or as soon as the shortest time between two updates has passed.
    func setNeedsUpdate() {
        guard !isScheduled else { return }
        let now = MonotonicTime.now
        let delay = lastUpdateTime.map { $0 + Self.updateInterval - now } ?? 0
        guard delay <= 0 else { return schedule(after: delay) }
        lastUpdateTime = now
        if update() { schedule(after: Self.updateInterval) }
    }

    /// Schedules an update after a time in nanoseconds.
    private func schedule(after delay: Int64) {
        isScheduled = true
        DispatchQueue.main.asyncAfter(deadline: .now() + .nanoseconds(Int(delay))) { [weak self] in
            MainActor.assumeIsolated {
                self?.isScheduled = false
                self?.setNeedsUpdate()
            }
        }
    }
}
