/// The reasons for which the service may start a program in the background, as the program declares them.
package struct BackgroundModes: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The program fetches new content shortly before it is opened.
    package static let fetch = BackgroundModes(rawValue: 1)
    /// The program receives notifications.
    package static let remoteNotification = BackgroundModes(rawValue: 2)
    /// All known modes.
    package static let known: BackgroundModes = [.fetch, .remoteNotification]
}

/// Whether a person uses a program.
package enum ProgramPresence: UInt8, Sendable, CaseIterable {
    /// The program was opened, or has come to the foreground.
    case opened = 1
    /// The program is in the foreground. It has reported the opening to a service that has exited since.
    case open
    /// The program has left the foreground.
    case background
}

/// The result of a fetch or a notification, with the numbers of `UIBackgroundFetchResult`.
package enum WakeResult: UInt8, Sendable, CaseIterable {
    case newData = 0
    case noData
    case failed
}

/// Where a notification comes from.
package enum NotificationSender: UInt8, Sendable, CaseIterable {
    /// A program of the same user on this machine.
    case local = 1
    /// The server of the program.
    case server
}

/// What a user does with a program.
package enum ProgramAction: UInt8, Sendable, CaseIterable {
    /// Forgets when the program was opened.
    case forget = 1
    /// Fetches the program now.
    case fetch
    /// Closes the program for good: it is not started until the user opens it.
    case quit
}
