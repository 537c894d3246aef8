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
    package let canPause: Bool

    private enum State { case stopped, running, paused }
    private var state = State.stopped
    private var written = 0
    /// The number of frames consumed until `since`, the time of the last change.
    private var consumedBefore = 0
    private var since: Int64 = 0
    private let speedPercent: Int64

    /// Creates a device.
    ///
    /// - Parameter speedPercent: The speed of its clock; 100 for that of the host.
    package init(format: AudioFormat, canPause: Bool = true, speedPercent: Int64 = 100) {
        self.format = format
        self.canPause = canPause
        self.speedPercent = speedPercent
        periodFrames = format.rate / 100
        bufferFrames = periodFrames * 6
    }

    private func consumed(at time: Int64) -> Int {
        guard state == .running else { return consumedBefore }
        return consumedBefore + format.frames(in: (time - since) * speedPercent / 100)
    }

    private func change(to new: State) {
        let now = MonotonicTime.now
        consumedBefore = min(consumed(at: now), written)
        since = now
        state = new
    }

    package func prepare() throws(PCMFailure) {
        state = .stopped
        written = 0
        consumedBefore = 0
    }

    package func start() throws(PCMFailure) { change(to: .running) }

    package func write(_ samples: UnsafePointer<Float>, frames: Int) throws(PCMFailure) -> Int {
        let count = min(frames, try timing().available)
        written += count
        return count
    }

    package func setPaused(_ paused: Bool) throws(PCMFailure) { change(to: paused ? .paused : .running) }
    package func drop() throws(PCMFailure) { try prepare() }
    package func resume() throws(PCMFailure) {}

    package func timing() throws(PCMFailure) -> PCMTiming {
        let now = MonotonicTime.now
        let queued = written - consumed(at: now)
        guard queued > 0 || state != .running else { throw PCMFailure(.timing, EPIPE) }
        return PCMTiming(available: bufferFrames - queued, delay: queued, hostTime: now)
    }

    package func wait(forSpace space: Bool, wake: EventDescriptor, until deadline: Int64?) throws(PCMFailure) {
        var end = deadline
        if space, state == .running {
            // The time at which a period is free.
            let target = written - bufferFrames + periodFrames - consumedBefore
            let free = since + format.nanoseconds(of: target) * 100 / speedPercent + 1000
            end = min(deadline ?? free, free)
        }
        do { _ = try Poll.waitReadable(wake.raw, until: end) } catch { throw PCMFailure(.wait, error.number) }
    }

    package func close() {}
}
