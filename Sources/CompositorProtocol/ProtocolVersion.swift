/// The versions of the protocol between the library and the compositor. See README.md beside this file.
package enum ProtocolVersion {
    /// The version that this build supports.
    ///
    /// Later messages raise the version of their ``ProtocolInterface`` instead.
    package static let current: UInt16 = 9
    /// The first version with overlays.
    package static let overlays: UInt16 = 3
    /// The first version whose progress bar can be dragged.
    package static let seeking: UInt16 = 4
    /// The first version with opening and return animations from and to the layer's place on the screen.
    package static let flights: UInt16 = 5
    /// The first version that sends the user's settings.
    package static let settings: UInt16 = 5
    /// The first version with a volume control.
    package static let sound: UInt16 = 5
    /// The first version with the message `removed`, and with windows without skipping.
    package static let linear: UInt16 = 5
    /// The first version that draws on a part of a terminal.
    package static let terminals: UInt16 = 5
    /// The first version with audio sessions.
    package static let audio: UInt16 = 6
    /// The first version in which system-wide conditions end with the connection that announced them.
    package static let leases: UInt16 = 7
    /// The first version in which a program can change whether it declares background audio.
    package static let backgroundAudio: UInt16 = 7
    /// The first version with numbered audio reports.
    package static let sequences: UInt16 = 7
    /// The first version whose windows show a buffering indicator.
    package static let buffering: UInt16 = 8
    /// The first version in which a session can request the sound server's speaker.
    package static let outputOverride: UInt16 = 9
    /// The first version in which both processes name their interfaces, and unknown messages are answered.
    package static let interfaces: UInt16 = 9
    /// The oldest version that this build supports.
    package static let oldest: UInt16 = 2

    /// Returns the newest version that both processes support; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - current: The newest version of the other process.
    ///   - oldest: The oldest version of the other process.
    package static func agree(current: UInt16, oldest: UInt16) -> UInt16? {
        let version = min(current, Self.current)
        return version >= max(oldest, Self.oldest) ? version : nil
    }
}
