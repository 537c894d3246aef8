/// What a program has declared about background fetch.
package struct FetchSettings: Hashable, Sendable {
    /// The minimum interval between fetches, as `setMinimumBackgroundFetchInterval` sets it.
    package enum Interval: Hashable, Sendable {
        /// The program is never fetched. This is the default.
        case never
        /// The system chooses.
        case minimum
        /// At least this time lies between two fetches.
        case atLeast(Duration)
    }

    /// The shortest interval of all programs.
    package static let shortestInterval = Duration.seconds(900)

    /// Whether the program has declared the background mode `fetch`.
    package var declaresMode: Bool
    package var interval: Interval
    /// Whether the user permits that the times of openings are recorded.
    package var permitsLearning = true

    package init(declaresMode: Bool = false, interval: Interval = .never) {
        self.declaresMode = declaresMode
        self.interval = interval
    }

    /// Whether the times of openings are recorded: only for programs that are fetched.
    package var isLearning: Bool { permitsLearning && declaresMode }

    /// The minimum interval, or nil if the program is never fetched.
    package var minimumInterval: Duration? {
        switch interval {
        case .never: nil
        case .minimum: Self.shortestInterval
        case .atLeast(let duration): max(duration, Self.shortestInterval)
        }
    }
}
