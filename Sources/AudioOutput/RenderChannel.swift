import SystemCalls

/// What a renderer's owner and its render thread share: samples and commands one way, the clock and events the other.
/// Each part has its own rule about threads.
final class RenderChannel: Sendable {
    let ring: SampleRing
    let control: RenderControl
    let clock = AudioClock()
    let events: RenderEvents
    /// Signalled by the render thread when there is more room in the ring.
    let spaceAvailable: EventDescriptor

    init(ring: SampleRing) throws(SystemCallError) {
        self.ring = ring
        control = try RenderControl()
        events = try RenderEvents()
        spaceAvailable = try EventDescriptor()
    }
}
