/// The outcome of an audio session's request to play on the speaker, or on the previous port again. Since protocol
/// version 9.
package enum OutputOverrideOutcome: UInt8, Sendable, CaseIterable {
    /// The sound server plays on the speaker, or on its previous port again.
    case done = 1
    /// There is no sound server, or it does not answer: audio goes to an ALSA device.
    case noSoundServer = 2
    /// The sound server's output has no usable speaker port.
    case noSpeaker = 3
    /// The session is not active, or its category is not `playAndRecord`.
    case notAllowed = 4
}
