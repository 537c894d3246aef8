import Synchronization
import SystemCalls

/// What its owner wants of the render thread: single words that it reads when it wakes, so that nobody waits for
/// anybody.
package final class RenderControl: Sendable {
    /// Wakes the render thread.
    package let wake: EventDescriptor
    /// Signalled by the render thread after each finished flush.
    package let flushed: EventDescriptor
    package let ended: EventDescriptor
    package let isPlaying = Atomic<Bool>(false)
    package let isClosing = Atomic<Bool>(false)
    /// Number of flushes asked for, and done.
    package let flushesWanted = Atomic<Int>(0)
    package let flushesDone = Atomic<Int>(0)
    /// The ring index at which the newest flush was asked for: what is before it is old.
    package let flushIndex = Atomic<Int>(0)
    /// The ring index behind the last frame of the stream; -1 while the end is not known.
    package let endIndex = Atomic<Int>(-1)
    /// Set by the render thread while it sleeps for want of samples.
    package let isStarved = Atomic<Bool>(false)
    /// The device has failed or stands still, and has not played since.
    package let isFaltering = Atomic<Bool>(false)
    /// Frames by which sound is late behind what is queued in the device.
    package let extraDelay = Atomic<Int>(0)
    /// Host time by which the render thread is back from where it is, if its device works; `.max` while it waits for a
    /// command.
    package let due = Atomic<Int64>(.max)
    /// Volume (`Float` bits, high half) and ramp in microseconds (low half).
    private let gain = Atomic<UInt64>(RenderControl.unityGain)

    package init() throws(SystemCallError) {
        wake = try EventDescriptor()
        flushed = try EventDescriptor()
        ended = try EventDescriptor()
    }

    /// What ``gainWord`` is until a volume is asked for: as it is.
    package static let unityGain = packed(1, 0)

    private static func packed(_ gain: Float, _ microseconds: UInt32) -> UInt64 {
        UInt64(gain.bitPattern) << 32 | UInt64(microseconds)
    }

    /// Asks for a volume, to be reached in `ramp` nanoseconds.
    package func setGain(_ value: Float, ramp: Int64) {
        let microseconds = UInt32(clamping: ramp / 1000)
        gain.store(Self.packed(value.isNaN ? 0 : value, microseconds), ordering: .releasing)
        wake.signal()
    }

    /// The newest volume command as one word, to be compared with the last one seen, and taken apart with
    /// ``gain(of:)``.
    package var gainWord: UInt64 { gain.load(ordering: .acquiring) }

    /// What is asked for at this moment. Render thread.
    var commands: RenderRequest.Commands {
        RenderRequest.Commands(
            isPlaying: isPlaying.load(ordering: .acquiring), isClosing: isClosing.load(ordering: .acquiring),
            flushes: flushesWanted.load(ordering: .acquiring), gainWord: gainWord)
    }

    /// Linear gain and ramp in nanoseconds.
    package static func gain(of word: UInt64) -> (gain: Float, ramp: Int64) {
        (Float(bitPattern: UInt32(truncatingIfNeeded: word >> 32)), Int64(word & 0xFFFF_FFFF) * 1000)
    }

    /// Wakes the render thread if it waits for samples. Producer, after each write.
    package func samplesArrived() {
        // Pairs with the fence in `starved()`: either we see its flag, or it sees our samples.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        if isStarved.load(ordering: .relaxed) { wake.signal() }
    }

    /// Says that the render thread is about to sleep for want of samples. It must look at the ring once more after
    /// this.
    package func starved() {
        isStarved.store(true, ordering: .relaxed)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    package func fed() { isStarved.store(false, ordering: .relaxed) }
}
