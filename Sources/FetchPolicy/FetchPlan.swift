/// The reason for the time of a fetch.
package enum FetchReason: Hashable, Sendable {
    /// The program is usually opened at a time of the day; `target` is that local time in seconds since 1970.
    case peak(target: Int64)
    /// The interval since the last fetch has passed, at a time at which the program may be opened.
    case interval(Duration)
    /// Too little is known about the use of the program.
    case coldStart(interval: Duration)
    /// The last fetches failed.
    case retry(failureCount: Int)
    /// The user has requested the fetch.
    case requested
}

/// The rule that moved a fetch to a later time.
package enum FetchConstraint: Hashable, Sendable {
    case minimumInterval
    case budget
}

/// The reason why no fetch is planned.
package enum FetchObstacle: Hashable, Sendable, CaseIterable {
    case modeNotDeclared, intervalNever, forceQuit, inForeground, isRunning, machineUnused, noOpeningExpected, offline

    /// The text of a listing, in one line.
    package var text: String {
        switch self {
        case .modeNotDeclared: "never, because the program does not declare the background mode fetch"
        case .intervalNever: "never, because the program has not set a minimum interval"
        case .forceQuit: "not before you open the program, because you closed it for good"
        case .inForeground: "not while the program is open"
        case .isRunning: "running now"
        case .machineUnused: "when the machine is in use again"
        case .noOpeningExpected: "not planned, because the program is not expected to be opened"
        case .offline: "when the network returns"
        }
    }
}

/// The next fetch of a program.
package struct FetchPlan: Hashable, Sendable {
    package let window: FetchWindow
    package let reason: FetchReason
    /// The rule that moved the fetch to a later time, or nil.
    package let constraint: FetchConstraint?

    package init(window: FetchWindow, reason: FetchReason, constraint: FetchConstraint? = nil) {
        self.window = window
        self.reason = reason
        self.constraint = constraint
    }
}

/// The next fetch of a program, or the reason why there is none.
package enum FetchForecast: Hashable, Sendable {
    case planned(FetchPlan)
    case none(FetchObstacle)

    package var plan: FetchPlan? {
        if case .planned(let plan) = self { plan } else { nil }
    }

    /// Returns the text of a listing, in one line, such as `between 12:30 and 12:55, because the program is usually
    /// opened at about 13:00`.
    package func text(at time: FetchTime) -> String {
        switch self {
        case .none(let obstacle): return obstacle.text
        case .planned(let plan):
            let start = max(plan.window.earliest, time.bootTime)
            let times = [start, max(start, plan.window.latest)].map { moment in
                let seconds = time.localSeconds(ofBootTime: moment)
                let days = LocalDay(containing: seconds).number - time.day.number
                return FetchTime.text(ofLocalSeconds: seconds) + Self.dayText(days)
            }
            let period = times[0] == times[1] ? "at \(times[0])" : "between \(times[0]) and \(times[1])"
            return "\(period), because \(Self.text(of: plan.reason))\(Self.text(of: plan.constraint))"
        }
    }

    private static func dayText(_ days: Int) -> String {
        switch days {
        case 0: ""
        case 1: " tomorrow"
        default: " in \(days) days"
        }
    }

    private static func text(of reason: FetchReason) -> String {
        switch reason {
        case .peak(let target): "the program is usually opened at about \(FetchTime.text(ofLocalSeconds: target))"
        case .interval(let interval):
            "the program may be opened then, and its content changes about every \(minutes(interval)) min"
        case .coldStart(let interval):
            "little is known about its use, so it is fetched every \(minutes(interval)) min"
        case .retry(let count): count == 1 ? "the last fetch failed" : "the last \(count) fetches failed"
        case .requested: "you have requested it"
        }
    }

    private static func text(of constraint: FetchConstraint?) -> String {
        switch constraint {
        case nil: ""
        case .minimumInterval: "; its minimum interval does not permit an earlier fetch"
        case .budget: "; its budget for 24 hours is used up until then"
        }
    }

    private static func minutes(_ interval: Duration) -> Int64 { max(1, interval.components.seconds / 60) }
}
