import SystemCalls

/// The objects that a renderer shares with its render thread: samples and commands, clock and events. Each object has
/// its own threading rule.
final class SharedRenderState: Sendable {
    /// The ring buffer with the samples from the producer.
    let ring: SampleRing
    /// The commands to the render thread.
    let control: RenderControl
    /// The position that the render thread publishes.
    let clock = AudioClock()
    /// The events that the render thread reports.
    let events: RenderEvents
    /// The event descriptor that the render thread signals when there is more room in the ring buffer.
    let spaceAvailable: EventDescriptor

    init(ring: SampleRing) throws(SystemCallError) {
        self.ring = ring
        control = try RenderControl()
        events = try RenderEvents()
        spaceAvailable = try EventDescriptor()
    }
}
