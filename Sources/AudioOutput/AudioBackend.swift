/// The destination of audio.
package enum AudioBackend: Sendable, Equatable {
    /// The ALSA PCM with a name: `default`, `hw:0`, `pulse`.
    case alsa(device: String)
    /// No device, at the speed of the host's clock: for machines without a sound card, and for tests.
    case null
}
