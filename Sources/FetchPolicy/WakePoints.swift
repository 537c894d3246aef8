/// A period in which a fetch is due, in boot time.
package struct FetchWindow: Hashable, Sendable {
    /// The first time at which the fetch may start.
    package let earliest: Duration
    /// The last time at which the fetch should start.
    package let latest: Duration

    /// Creates a window. A window that ends before it begins has no length.
    package init(earliest: Duration, latest: Duration) {
        self.earliest = earliest
        self.latest = max(earliest, latest)
    }

    package func contains(_ time: Duration) -> Bool { earliest <= time && time <= latest }
}

/// The choice of the times at which the machine wakes for several fetches at once.
package enum WakePoints {
    /// Returns the fewest times such that each window contains one, in order. Each is the end of a window: the greedy
    /// choice by the earliest end is optimal for intervals.
    package static func points(for windows: [FetchWindow]) -> [Duration] {
        var points: [Duration] = []
        for window in windows.sorted(by: { $0.latest < $1.latest }) {
            if let last = points.last, last >= window.earliest { continue }
            points.append(window.latest)
        }
        return points
    }

    /// Returns the first time to wake, or nil without windows.
    package static func firstPoint(for windows: [FetchWindow]) -> Duration? { windows.map(\.latest).min() }
}
