import WireFormat

/// The limits of the messages between programs and the service.
package enum ClientLimits {
    /// The newest version of the protocol that this build speaks.
    package static let version: UInt16 = 3
    /// The oldest version in which a notification states its sender.
    package static let senderVersion: UInt16 = 2
    /// The oldest version in which a session receives reports only about transfers whose events its program has not
    /// acknowledged. In older versions, the reports include the history.
    package static let hiddenHistoryVersion: UInt16 = 3
    /// The oldest version of the protocol that this build speaks.
    package static let oldestVersion: UInt16 = 1
    /// The maximum size of one message, in bytes.
    package static let messageBytes = WireLimits.largeMessageBytes
    /// The maximum length of the name of a program, a session or a file, in bytes.
    package static let nameBytes = 255
    /// The maximum length of a path, in bytes.
    package static let pathBytes = 4096
    /// The maximum length of the text with which a program describes a transfer, in bytes.
    package static let descriptionBytes = 4096
    /// The maximum length of a message about a failure, in bytes.
    package static let reasonBytes = 1024
    /// The maximum number of arguments with which a program is started, and their maximum length in bytes.
    package static let argumentCount = 32, argumentBytes = 1024
    /// The longest time limit of a transfer, in seconds: ten years.
    package static let timeLimit: Int64 = 10 * 365 * 86_400
}
