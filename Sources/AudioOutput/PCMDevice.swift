import SystemCalls

/// An audio device of the render thread. All calls but ``wait(for:wake:until:)`` return at once.
///
/// It is created on one thread and then used only by the render thread, so an implementation can be `Sendable`.
package protocol PCMDevice: AnyObject, Sendable {
    /// The name for errors.
    var name: String { get }
    var format: AudioFormat { get }
    /// The size of the device's queue in frames.
    var bufferFrames: Int { get }
    /// The period in frames.
    var periodFrames: Int { get }
    /// Whether ``setPaused(_:)`` works. If not, a pause discards the queue.
    var canPause: Bool { get }

    /// Prepares the device, with an empty queue, after opening, a drop or an error.
    func prepare() throws(PCMFailure)
    /// Starts playing the queue.
    func start() throws(PCMFailure)
    /// Queues up to `frames` frames. Returns the number of accepted frames, 0 without room.
    func write(_ samples: UnsafePointer<Float>, frames: Int) throws(PCMFailure) -> Int
    func setPaused(_ paused: Bool) throws(PCMFailure)
    /// Stops at once and discards the queue.
    func drop() throws(PCMFailure)
    /// Resumes the device after a sleep of the machine. A temporary failure means that it is not ready yet.
    func resume() throws(PCMFailure)
    /// Returns room and delay. Throws if the device has stopped.
    func timing() throws(PCMFailure) -> PCMTiming
    /// Waits until the device has room for a period (if `space`), `wake` is signaled or `deadline` has passed.
    func wait(forSpace space: Bool, wake: EventDescriptor, until deadline: Int64?) throws(PCMFailure)
    /// Releases the device. Called once, last.
    func close()
}

/// The state of a device at a time.
package struct PCMTiming: Sendable, Equatable {
    /// The number of frames that can be written.
    package var available: Int
    /// The number of frames until a written frame is heard.
    package var delay: Int
    /// The host time in nanoseconds of this state.
    package var hostTime: Int64

    package init(available: Int, delay: Int, hostTime: Int64) {
        self.available = available
        self.delay = delay
        self.hostTime = hostTime
    }
}
