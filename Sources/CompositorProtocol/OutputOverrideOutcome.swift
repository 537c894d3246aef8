/// What became of a program's request to be heard on the speaker. Version 9.
package enum OutputOverrideOutcome: UInt8, Sendable, CaseIterable {
    /// The sound server plays on the speaker, or on its usual port again.
    case done = 1
    /// There is no sound server, or it does not answer: sound goes to an ALSA device.
    case noSoundServer = 2
    /// The sound server's output has no port for a speaker that can be used.
    case noSpeaker = 3
    /// The session is not active, or its category is another than `playAndRecord`.
    case notAllowed = 4
}
