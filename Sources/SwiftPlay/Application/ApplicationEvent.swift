/// A step of the change from one role to another, in the order in which programs receive them. The names follow
/// UIApplication's notifications.
enum ApplicationEvent: CaseIterable, Sendable {
    case willResignActive
    case didEnterBackground
    case willEnterForeground
    case didBecomeActive

    /// Returns the steps from one role to another.
    static func steps(from old: ApplicationRole, to new: ApplicationRole) -> [ApplicationEvent] {
        var steps: [ApplicationEvent] = []
        if old == .primary, new != .primary { steps.append(.willResignActive) }
        if old.isForeground, !new.isForeground { steps.append(.didEnterBackground) }
        if !old.isForeground, new.isForeground { steps.append(.willEnterForeground) }
        if old != .primary, new == .primary { steps.append(.didBecomeActive) }
        return steps
    }
}
