/// The payload of a notification, after its validation. No field of it names a command, a path or an address that the
/// ledger opens.
package struct PushPayload: Hashable, Sendable {
    /// The permitted bytes of a payload, as in Apple's notification service.
    package static let byteRange = 1...4096

    /// The reason why a payload is refused.
    package enum Refusal: Error, Hashable, Sendable {
        case empty
        case tooLarge(bytes: Int)
        case invalidJSON
        /// The payload has neither `aps.content-available` nor an alert, sound or badge.
        case withoutEffect

        /// The text of a listing and of the sender's error, in one line.
        package var text: String {
            switch self {
            case .empty: "the payload is empty"
            case .tooLarge(let bytes): "the payload has \(bytes) bytes; at most 4096 are permitted"
            case .invalidJSON: "the payload is not a JSON object in UTF-8"
            case .withoutEffect: "the payload needs aps.content-available with the value 1, or an alert"
            }
        }
    }

    package let bytes: [UInt8]
    /// Whether the program is woken.
    package let isContentAvailable: Bool
    /// Whether the payload has an alert, a sound or a badge, so that a banner follows.
    package let hasAlert: Bool

    /// The text of the banner; nil without one.
    package let alert: PushAlert?

    /// Whether the payload only wakes the program.
    package var isSilent: Bool { isContentAvailable && !hasAlert }

    /// Creates the payload of a JSON text with the members of Apple's `aps` dictionary.
    /// - Throws: the reason why the payload is refused.
    package init(json bytes: [UInt8]) throws(Refusal) {
        try Self.checkSize(bytes)
        guard let members = try? JSONValidator.members(of: bytes) else { throw .invalidJSON }
        self.bytes = bytes
        isContentAvailable =
            switch members[["aps", "content-available"]] {
            case .number(1), .boolean(true): true
            default: false
            }
        hasAlert = ["alert", "sound", "badge"].contains { name in
            members[["aps", name]].map { $0 != .null } ?? false
        }
        alert = PushAlert(members)
        if !isContentAvailable, !hasAlert { throw .withoutEffect }
    }

    /// Creates the payload of a message whose bytes only the program understands, such as one of UnifiedPush. It wakes
    /// the program and has no alert.
    /// - Throws: the reason why the payload is refused.
    package init(opaque bytes: [UInt8]) throws(Refusal) {
        try Self.checkSize(bytes)
        self.bytes = bytes
        isContentAvailable = true
        (hasAlert, alert) = (false, nil)
    }

    private static func checkSize(_ bytes: [UInt8]) throws(Refusal) {
        if bytes.isEmpty { throw .empty }
        if bytes.count > byteRange.upperBound { throw .tooLarge(bytes: bytes.count) }
    }
}
