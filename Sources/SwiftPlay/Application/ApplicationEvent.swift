/// An event of the program that is posted as a notification. The names follow UIApplication's notifications.
enum ApplicationEvent: CaseIterable, Sendable {
    case willResignActive
    case didEnterBackground
    case willEnterForeground
    case didBecomeActive
    case roleDidChange
    case didReceiveMemoryWarning
    case willTerminate

    /// Returns the steps of the change from one role to another, in the order in which programs receive them.
    static func steps(from oldRole: ApplicationRole, to newRole: ApplicationRole) -> [ApplicationEvent] {
        var steps: [ApplicationEvent] = []
        if oldRole == .primary, newRole != .primary { steps.append(.willResignActive) }
        if oldRole.isForeground, !newRole.isForeground { steps.append(.didEnterBackground) }
        if !oldRole.isForeground, newRole.isForeground { steps.append(.willEnterForeground) }
        if oldRole != .primary, newRole == .primary { steps.append(.didBecomeActive) }
        return steps
    }
}
