/// The versions of the protocol between the library and the compositor. See README.md beside this file.
package enum ProtocolVersion {
    /// The newest protocol version that this build supports.
    ///
    /// Messages that are added later raise the version of their ``ProtocolInterface`` instead of this number.
    package static let newest: UInt16 = 9
    /// The first protocol version with overlays, such as subtitles.
    package static let overlays: UInt16 = 3
    /// The first protocol version with the user's action `seek`, which dragging the progress bar causes.
    package static let seeking: UInt16 = 4
    /// The first protocol version whose windows open with an animation from the program's video layer and close with an
    /// animation back to it.
    package static let animations: UInt16 = 5
    /// The first protocol version in which the compositor sends the user's settings to programs.
    package static let settings: UInt16 = 5
    /// The first protocol version with a volume control in the window.
    package static let audioState: UInt16 = 5
    /// The first protocol version with the messages `removed` and `setRequiresLinearPlayback`;
    /// `setRequiresLinearPlayback` disables skipping and seeking.
    package static let linearPlayback: UInt16 = 5
    /// The first protocol version in which a window can be an area of cells in the program's terminal.
    package static let terminals: UInt16 = 5
    /// The first protocol version with audio sessions.
    package static let audio: UInt16 = 6
    /// The first protocol version in which system-wide conditions end with the connection that announced them.
    package static let connectionBoundConditions: UInt16 = 7
    /// The first protocol version with the request `mayPlayInBackground`.
    package static let backgroundAudio: UInt16 = 7
    /// The first protocol version whose audio reports carry a sequence number.
    package static let reportSequenceNumbers: UInt16 = 7
    /// The first protocol version whose windows show a buffering indicator.
    package static let buffering: UInt16 = 8
    /// The first protocol version in which an audio session can request the sound server's speaker.
    package static let outputOverride: UInt16 = 9
    /// The first protocol version with the messages `interfaces` and `unsupported`.
    package static let interfaces: UInt16 = 9
    /// The oldest protocol version that this build supports.
    package static let oldest: UInt16 = 2

    /// Returns the newest version that both processes support; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - newest: The newest version of the other process.
    ///   - oldest: The oldest version of the other process.
    package static func negotiate(newest: UInt16, oldest: UInt16) -> UInt16? {
        let version = min(newest, Self.newest)
        return version >= max(oldest, Self.oldest) ? version : nil
    }
}
