import Synchronization
import SystemCalls

/// The commands for the render thread: single atomic words, so that no thread waits for another.
package final class RenderControl: Sendable {
    /// The event descriptor that wakes the render thread.
    package let wakeEvent: EventDescriptor
    /// The event descriptor that the render thread signals after each completed flush.
    package let flushEvent: EventDescriptor
    /// The event descriptor that the render thread signals when it ends.
    package let endEvent: EventDescriptor
    /// Whether audio should play; false pauses it.
    package let isPlaying = Atomic<Bool>(false)
    /// Whether the render thread should fade out and end.
    package let isClosing = Atomic<Bool>(false)
    /// The number of flushes that controlling threads have requested.
    package let requestedFlushes = Atomic<Int>(0)
    /// The sequence number of the newest flush after which no sample from before the flush is audible.
    package let completedFlushes = Atomic<Int>(0)
    /// The ring index of the first frame after the newest flush. Earlier frames are discarded.
    package let flushIndex = Atomic<Int>(0)
    /// The ring index after the last frame of the stream; -1 while the end is unknown.
    package let endIndex = Atomic<Int>(-1)
    /// Whether the render thread sleeps because there are no samples.
    package let isStarved = Atomic<Bool>(false)
    /// Whether the device has failed or stopped consuming frames, and has not played since then.
    package let isUnreliable = Atomic<Bool>(false)
    /// The measured latency after the device's queue, for example in a sound server, in frames.
    package let latencyAfterQueue = Atomic<Int>(0)
    /// The host time after which the render thread counts as hanging in an operation of the device; `.max` while it
    /// waits for a command without a deadline.
    package let hangDeadline = Atomic<Int64>(.max)
    /// The newest volume command: the bits of the linear gain (`Float`) in the high half, and the ramp in microseconds
    /// in the low half.
    private let gainCommand = Atomic<UInt64>(RenderControl.packedUnityGain)

    package init() throws(SystemCallError) {
        wakeEvent = try EventDescriptor()
        flushEvent = try EventDescriptor()
        endEvent = try EventDescriptor()
    }

    /// The initial value of ``packedGainCommand``: a volume of 1 without a ramp.
    package static let packedUnityGain = packed(1, 0)

    /// Encodes a volume command (linear gain and ramp) as one word.
    private static func packed(_ gain: Float, _ microseconds: UInt32) -> UInt64 {
        UInt64(gain.bitPattern) << 32 | UInt64(microseconds)
    }

    /// Requests a linear gain, which is reached with a ramp of the given nanoseconds.
    package func setGain(_ value: Float, ramp: Int64) {
        let microseconds = UInt32(clamping: ramp / 1000)
        gainCommand.store(Self.packed(value.isNaN ? 0 : value, microseconds), ordering: .releasing)
        wakeEvent.signal()
    }

    /// Returns the newest volume command as one word, for comparison and for ``gain(of:)``.
    package var packedGainCommand: UInt64 { gainCommand.load(ordering: .acquiring) }

    /// The current commands of the controlling threads. Render thread only.
    var commands: RenderRequest.Commands {
        RenderRequest.Commands(
            isPlaying: isPlaying.load(ordering: .acquiring), isClosing: isClosing.load(ordering: .acquiring),
            requestedFlushCount: requestedFlushes.load(ordering: .acquiring), packedGainCommand: packedGainCommand)
    }

    /// Returns the linear gain and the ramp in nanoseconds of a volume command (``packedGainCommand``).
    package static func gain(of word: UInt64) -> (gain: Float, ramp: Int64) {
        (Float(bitPattern: UInt32(truncatingIfNeeded: word >> 32)), Int64(word & 0xFFFF_FFFF) * 1000)
    }

    /// Wakes the render thread if it waits for samples. Called by the producer after each write.
    package func wakeIfStarved() {
        // This fence pairs with the fence in `reportStarvation()`: either this thread reads that `isStarved` is set,
        // or the render thread reads the new samples.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        if isStarved.load(ordering: .relaxed) { wakeEvent.signal() }
    }

    /// Marks that the render thread is about to sleep because there are no samples. The thread must check the ring
    /// buffer once more after this call.
    package func reportStarvation() {
        isStarved.store(true, ordering: .relaxed)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Marks that the render thread is awake again.
    package func clearStarvation() { isStarved.store(false, ordering: .relaxed) }
}
