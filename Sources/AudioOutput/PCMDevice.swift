import SystemCalls

/// What the render thread asks of a sound device. Every call returns at once but ``wait(for:wake:until:)``.
///
/// Made on one thread, then used by the render thread alone: that is what makes an implementation `Sendable`.
package protocol PCMDevice: AnyObject, Sendable {
    /// The name to use in errors.
    var name: String { get }
    var format: AudioFormat { get }
    /// How many frames the device queues at most.
    var bufferFrames: Int { get }
    /// How many frames it takes at a time.
    var periodFrames: Int { get }
    /// Whether ``setPaused(_:)`` works. If not, a pause drops what is queued.
    var canPause: Bool { get }

    /// Makes the device ready and empty, after opening, a drop or an error.
    func prepare() throws(PCMFailure)
    /// Starts the sound of what is queued.
    func start() throws(PCMFailure)
    /// Queues up to `frames` frames; returns how many it took, 0 when there is no room.
    func write(_ samples: UnsafePointer<Float>, frames: Int) throws(PCMFailure) -> Int
    func setPaused(_ paused: Bool) throws(PCMFailure)
    /// Stops at once and forgets what is queued.
    func drop() throws(PCMFailure)
    /// Wakes the device after the machine slept; a temporary failure means: not yet.
    func resume() throws(PCMFailure)
    /// Room and delay at one moment. Throws when the device has stopped by itself.
    func timing() throws(PCMFailure) -> PCMTiming
    /// Waits until the device has room for a period (if `space`), `wake` is signalled or `deadline` has come.
    func wait(forSpace space: Bool, wake: EventDescriptor, until deadline: Int64?) throws(PCMFailure)
    /// Gives the device back; called once, last.
    func close()
}

/// Where a device stands at one moment.
package struct PCMTiming: Sendable, Equatable {
    /// Frames that can be written now.
    package var available: Int
    /// Frames until one that is written now is heard.
    package var delay: Int
    /// Host time in nanoseconds at which this was true.
    package var hostTime: Int64

    package init(available: Int, delay: Int, hostTime: Int64) {
        self.available = available
        self.delay = delay
        self.hostTime = hostTime
    }
}
