/// The device that plays audio: a real ALSA device or a simulated one.
package enum AudioBackend: Sendable, Equatable {
    /// The ALSA PCM with a name: `default`, `hw:0`, `pulse`.
    case alsa(device: String)
    /// A silent simulated device that consumes samples at the speed of the host's clock: for machines without a sound
    /// card, and for tests.
    case null
}
