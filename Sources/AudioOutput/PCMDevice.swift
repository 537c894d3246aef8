import SystemCalls

/// An audio device of the render thread. All methods except ``wait(forSpace:wake:until:)`` return at once.
///
/// A device is created on one thread and then used only by the render thread, so an implementation can be `Sendable`.
package protocol PCMDevice: AnyObject, Sendable {
    /// The device's name for error messages.
    var name: String { get }
    /// The rate and channels of the samples that ``write(_:frames:)`` accepts.
    var format: AudioFormat { get }
    /// The size of the device's queue in frames.
    var bufferFrames: Int { get }
    /// The number of frames after which the device wakes the render thread.
    var periodFrames: Int { get }
    /// Whether ``setPaused(_:)`` works. If not, a pause discards the queue.
    var canPause: Bool { get }

    /// Prepares the device, with an empty queue, after opening, a drop or an error.
    func prepare() throws(PCMFailure)
    /// Starts to play the queued samples.
    func start() throws(PCMFailure)
    /// Queues up to `frames` frames. Returns the number of accepted frames; 0 if there is no room.
    func write(_ samples: UnsafePointer<Float>, frames: Int) throws(PCMFailure) -> Int
    /// Pauses or continues the device. Queued samples are kept.
    func setPaused(_ paused: Bool) throws(PCMFailure)
    /// Stops the device at once and discards the queued samples.
    func drop() throws(PCMFailure)
    /// Resumes the device after the machine was asleep. A temporary failure means that the device is not ready yet.
    func resume() throws(PCMFailure)
    /// Returns the free space in the device's queue, and the delay until a new frame is heard. Throws if the device has
    /// stopped.
    func timing() throws(PCMFailure) -> PCMTiming
    /// Waits until the first of these occurs: the device has room for a period (only if `needsSpace`), `wake` is
    /// signalled, or `deadline` has passed.
    func wait(forSpace needsSpace: Bool, wake: EventDescriptor, until deadline: Int64?) throws(PCMFailure)
    /// Releases the device. Called once, after all other methods.
    func close()
}

/// The state of a device's queue at a host time.
package struct PCMTiming: Sendable, Equatable {
    /// The number of frames that the device accepts now.
    package var available: Int
    /// The number of frames that are heard before a frame that is written now.
    package var delay: Int
    /// The host time, in nanoseconds, at which the queue had this state.
    package var hostTime: Int64

    package init(available: Int, delay: Int, hostTime: Int64) {
        self.available = available
        self.delay = delay
        self.hostTime = hostTime
    }
}
