/// Versions of what library and compositor say to each other. See README.md beside this file.
package enum ProtocolVersion {
    /// What this build speaks.
    ///
    /// Later messages raise the version of their ``ProtocolInterface`` instead.
    package static let current: UInt16 = 9
    /// The first that knows overlays.
    package static let overlays: UInt16 = 3
    /// The first whose line of progress can be dragged.
    package static let seeking: UInt16 = 4
    /// The first whose windows come from the layer's place on the screen and fly back to it.
    package static let flights: UInt16 = 5
    /// The first that tells of the user's settings.
    package static let settings: UInt16 = 5
    /// The first whose windows have a volume control.
    package static let sound: UInt16 = 5
    /// The first that says `removed`, and knows windows without skipping.
    package static let linear: UInt16 = 5
    /// The first that draws on a part of a terminal.
    package static let terminals: UInt16 = 5
    /// The first that knows audio sessions.
    package static let audio: UInt16 = 6
    /// The first in which the system's conditions end with the connection that announced them.
    package static let leases: UInt16 = 7
    /// The first in which a program can change whether it may be heard in the background.
    package static let backgroundAudio: UInt16 = 7
    /// The first whose audio reports are numbered.
    package static let sequences: UInt16 = 7
    /// The first whose windows show that the program waits for media.
    package static let buffering: UInt16 = 8
    /// The first in which a program can ask for the sound server's speaker.
    package static let outputOverride: UInt16 = 9
    /// The first in which both name their interfaces, and an unknown message is answered.
    package static let interfaces: UInt16 = 9
    /// The oldest that it still understands.
    package static let oldest: UInt16 = 2

    /// The version that both understand; nil when there is none.
    package static func agree(current: UInt16, oldest: UInt16) -> UInt16? {
        let version = min(current, Self.current)
        return version >= max(oldest, Self.oldest) ? version : nil
    }
}
