import SystemCalls

/// The connection between a renderer's owner and its render thread: samples and commands, clock and events. Each part
/// has its own threading rule.
final class RenderChannel: Sendable {
    let ring: SampleRing
    let control: RenderControl
    let clock = AudioClock()
    let events: RenderEvents
    /// The event that the render thread signals when there is more room in the ring.
    let spaceAvailable: EventDescriptor

    init(ring: SampleRing) throws(SystemCallError) {
        self.ring = ring
        control = try RenderControl()
        events = try RenderEvents()
        spaceAvailable = try EventDescriptor()
    }
}
