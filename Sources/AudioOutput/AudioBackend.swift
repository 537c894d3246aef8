/// Where the sound goes.
package enum AudioBackend: Sendable, Equatable {
    /// An ALSA PCM by name: `default`, `hw:0`, `pulse`.
    case alsa(device: String)
    /// Nowhere, at the speed of host time: for playing without a sound card, and for tests.
    case null
}
