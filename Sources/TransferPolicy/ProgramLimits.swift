/// The limits on the transfers of one program.
package struct ProgramLimits: Hashable, Sendable {
    /// The reason why the ledger refuses a new transfer or holds back events.
    package enum Refusal: Hashable, Sendable {
        case tooManyTasks(limit: Int)
        case tooManyUnreadEvents(limit: Int)
        case tooManyStagedBytes(limit: Int64)
        case tooManyCreations(limit: Int)

        /// The text of the program's error, in one line.
        package var text: String {
            switch self {
            case .tooManyTasks(let limit): "the program has \(limit) open transfers; wait until some of them end"
            case .tooManyUnreadEvents(let limit):
                "the program has not acknowledged \(limit) events; acknowledge them before new transfers"
            case .tooManyStagedBytes(let limit):
                "the program's unfinished and unread files exceed \(limit / (1 << 30)) GiB; read or cancel some of them"
            case .tooManyCreations(let limit): "the program created \(limit) transfers within a minute; create fewer"
            }
        }
    }

    /// What a program uses.
    package struct Usage: Hashable, Sendable {
        package var openTasks = 0
        package var unreadEvents = 0
        package var stagedBytes: Int64 = 0

        package init(openTasks: Int = 0, unreadEvents: Int = 0, stagedBytes: Int64 = 0) {
            self.openTasks = openTasks
            self.unreadEvents = unreadEvents
            self.stagedBytes = stagedBytes
        }
    }

    package var openTasks = 1000
    package var unreadEvents = 10_000
    package var stagedBytes: Int64 = 50 << 30
    package var creationsPerMinute = 200

    package init() {}

    /// Returns the reason to refuse a new transfer, or nil.
    /// - Parameter recentCreations: the transfers that the program created within the last minute.
    package func refusal(usage: Usage, recentCreations: Int) -> Refusal? {
        if usage.openTasks >= openTasks { return .tooManyTasks(limit: openTasks) }
        if usage.unreadEvents >= unreadEvents { return .tooManyUnreadEvents(limit: unreadEvents) }
        if usage.stagedBytes >= stagedBytes { return .tooManyStagedBytes(limit: stagedBytes) }
        if recentCreations >= creationsPerMinute { return .tooManyCreations(limit: creationsPerMinute) }
        return nil
    }
}

/// The times of a program's newest creations of transfers.
package struct CreationWindow: Hashable, Sendable {
    package static let length = Duration.seconds(60)

    private var times: [Duration] = []

    package init() {}

    /// Returns the number of creations within the last minute.
    package mutating func count(now: Duration) -> Int {
        times.removeAll { now - $0 >= Self.length }
        return times.count
    }

    /// Records a creation that was permitted. The permission bounds the number of recorded times.
    package mutating func handleCreation(now: Duration) { times.append(now) }
}
