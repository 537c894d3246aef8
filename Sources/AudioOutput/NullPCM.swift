import Glibc
import SystemCalls

/// A silent device that consumes samples at the speed of the host's clock, or at another speed for tests.
///
/// `@unchecked Sendable`: passed to the render thread before it starts, then used only by that thread.
package final class NullPCM: PCMDevice, @unchecked Sendable {
    package let name = "null"
    package let format: AudioFormat
    package let bufferFrames: Int
    package let periodFrames: Int
    /// Whether the simulated device can be paused; false only in tests.
    package let canPause: Bool

    /// The state of the simulated device. Only a running device consumes frames.
    private enum State { case stopped, running, paused }
    private var state = State.stopped
    /// The number of frames written since ``prepare()``.
    private var writtenFrames = 0
    /// The number of frames consumed until ``stateChangeTime``.
    private var framesConsumedAtStateChange = 0
    /// The host time of the last change of ``state``.
    private var stateChangeTime: Int64 = 0
    private let speedPercent: Int64

    /// Creates a device.
    ///
    /// - Parameter speedPercent: The speed of the device's clock in percent of the host's clock.
    package init(format: AudioFormat, canPause: Bool = true, speedPercent: Int64 = 100) {
        self.format = format
        self.canPause = canPause
        self.speedPercent = speedPercent
        periodFrames = format.rate / 50
        bufferFrames = periodFrames * 3
    }

    /// Returns the number of frames consumed until a host time.
    private func consumed(at time: Int64) -> Int {
        guard state == .running else { return framesConsumedAtStateChange }
        return framesConsumedAtStateChange + format.frames(in: (time - stateChangeTime) * speedPercent / 100)
    }

    /// Stores the number of frames consumed so far and changes the state.
    private func change(to newState: State) {
        let now = MonotonicTime.now
        framesConsumedAtStateChange = min(consumed(at: now), writtenFrames)
        stateChangeTime = now
        state = newState
    }

    /// Stops the simulated device and empties its queue.
    package func prepare() throws(PCMFailure) {
        state = .stopped
        writtenFrames = 0
        framesConsumedAtStateChange = 0
    }

    /// Starts to consume the queued frames.
    package func start() throws(PCMFailure) { change(to: .running) }

    /// Accepts as many frames as fit into the queue and returns their number; the samples are discarded.
    package func write(_ samples: UnsafePointer<Float>, frames: Int) throws(PCMFailure) -> Int {
        let count = min(frames, try timing().available)
        writtenFrames += count
        return count
    }

    package func setPaused(_ paused: Bool) throws(PCMFailure) { change(to: paused ? .paused : .running) }
    /// Stops the simulated device at once and discards the queue.
    package func drop() throws(PCMFailure) { try prepare() }
    /// Does nothing: a sleep of the machine does not affect this device.
    package func resume() throws(PCMFailure) {}

    /// Returns the free space in the simulated queue, and the delay until a new frame would be heard. Throws an
    /// underrun if a running device has an empty queue.
    package func timing() throws(PCMFailure) -> PCMTiming {
        let now = MonotonicTime.now
        let queued = writtenFrames - consumed(at: now)
        guard queued > 0 || state != .running else { throw PCMFailure(.timing, EPIPE) }
        return PCMTiming(available: bufferFrames - queued, delay: queued, hostTime: now)
    }

    /// Waits until the queue has room (only if `needsSpace`), `wake` is signalled or `deadline` has passed.
    package func wait(forSpace needsSpace: Bool, wake: EventDescriptor, until deadline: Int64?) throws(PCMFailure) {
        var wakeTime = deadline
        if needsSpace, state == .running {
            // Compute `roomTime`, the host time at which the queue has room for a period.
            let framesToConsume = writtenFrames - bufferFrames + periodFrames - framesConsumedAtStateChange
            let roomTime = stateChangeTime + format.nanoseconds(of: framesToConsume) * 100 / speedPercent + 1000
            wakeTime = min(deadline ?? roomTime, roomTime)
        }
        do { _ = try Poll.waitReadable(wake.raw, until: wakeTime) } catch { throw PCMFailure(.wait, error.number) }
    }

    package func close() {}
}
