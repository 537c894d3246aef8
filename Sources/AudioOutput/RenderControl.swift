import Synchronization
import SystemCalls

/// The commands for the render thread: single atomic words, so that no thread waits for another.
package final class RenderControl: Sendable {
    /// Wakes the render thread.
    package let wake: EventDescriptor
    /// The event that the render thread signals after each flush.
    package let flushed: EventDescriptor
    package let ended: EventDescriptor
    package let isPlaying = Atomic<Bool>(false)
    package let isClosing = Atomic<Bool>(false)
    /// The number of requested flushes, and of completed ones.
    package let flushesWanted = Atomic<Int>(0)
    package let flushesDone = Atomic<Int>(0)
    /// The ring index of the newest flush. Earlier frames are discarded.
    package let flushIndex = Atomic<Int>(0)
    /// The ring index after the last frame of the stream; -1 while the end is unknown.
    package let endIndex = Atomic<Int>(-1)
    /// Whether the render thread sleeps because there are no samples.
    package let isStarved = Atomic<Bool>(false)
    /// Whether the device has failed or stands still, and has not played since.
    package let isFaltering = Atomic<Bool>(false)
    /// The latency beyond the device's queue, in frames.
    package let extraDelay = Atomic<Int>(0)
    /// The host time by which the render thread returns from the device if that works; `.max` while it waits for a
    /// command.
    package let due = Atomic<Int64>(.max)
    /// The volume (`Float` bits, high half) and the ramp in microseconds (low half).
    private let gain = Atomic<UInt64>(RenderControl.unityGain)

    package init() throws(SystemCallError) {
        wake = try EventDescriptor()
        flushed = try EventDescriptor()
        ended = try EventDescriptor()
    }

    /// The initial value of ``gainWord``: a volume of 1.
    package static let unityGain = packed(1, 0)

    private static func packed(_ gain: Float, _ microseconds: UInt32) -> UInt64 {
        UInt64(gain.bitPattern) << 32 | UInt64(microseconds)
    }

    /// Requests a volume with a ramp in nanoseconds.
    package func setGain(_ value: Float, ramp: Int64) {
        let microseconds = UInt32(clamping: ramp / 1000)
        gain.store(Self.packed(value.isNaN ? 0 : value, microseconds), ordering: .releasing)
        wake.signal()
    }

    /// Returns the newest volume command as one word, for comparison and for ``gain(of:)``.
    package var gainWord: UInt64 { gain.load(ordering: .acquiring) }

    /// Returns the current commands. Render thread only.
    var commands: RenderRequest.Commands {
        RenderRequest.Commands(
            isPlaying: isPlaying.load(ordering: .acquiring), isClosing: isClosing.load(ordering: .acquiring),
            flushes: flushesWanted.load(ordering: .acquiring), gainWord: gainWord)
    }

    /// Returns the linear gain and the ramp in nanoseconds.
    package static func gain(of word: UInt64) -> (gain: Float, ramp: Int64) {
        (Float(bitPattern: UInt32(truncatingIfNeeded: word >> 32)), Int64(word & 0xFFFF_FFFF) * 1000)
    }

    /// Wakes the render thread if it waits for samples. Called by the producer after each write.
    package func samplesArrived() {
        // Pairs with the fence in `starved()`: either this thread reads the flag, or the render thread reads the
        // samples.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        if isStarved.load(ordering: .relaxed) { wake.signal() }
    }

    /// Marks that the render thread is about to sleep without samples. It must check the ring once more afterwards.
    package func starved() {
        isStarved.store(true, ordering: .relaxed)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    package func fed() { isStarved.store(false, ordering: .relaxed) }
}
