/// The reason why a program receives no notifications from its server.
public struct RemoteNotificationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of reason.
    public enum Code: Sendable {
        /// The user has no distributor of notifications.
        case noDistributor
        /// The distributor has refused the program.
        case refusedByDistributor
        /// The service has refused the call; for example because the program does not declare the mode
        /// `remoteNotification`.
        case refusedByService
        /// The file of the program's ``RemoteNotificationKeys`` is damaged, or cannot be read or created.
        case unusableKeys
    }

    /// The kind of reason.
    public let code: Code
    /// The reason and what to do, for users.
    public let description: String
}
