import Glibc
import Synchronization

/// A sequence lock: words that one thread writes and any thread reads consistently without a lock. A reader that
/// overlaps with a write reads again.
///
/// `@unchecked Sendable`: `words` contains only atomics, allocated for the life of this object.
package final class Seqlock: @unchecked Sendable {
    /// The number of words that the lock protects.
    package let count: Int
    /// The sequence number: odd while a write is in progress, and 2 higher after each write.
    private let sequence = Atomic<UInt>(0)
    private let words: UnsafeMutablePointer<Atomic<UInt64>>

    package init(count: Int) {
        self.count = count
        words = .allocate(capacity: count)
        for i in 0..<count { (words + i).initialize(to: Atomic<UInt64>(0)) }
    }

    deinit {
        words.deinitialize(count: count)
        words.deallocate()
    }

    /// Replaces all words. Only one thread may call this method.
    package func store(_ values: UnsafeBufferPointer<UInt64>) {
        let sequenceNumber = sequence.load(ordering: .relaxed)
        sequence.store(sequenceNumber &+ 1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        for i in 0..<min(count, values.count) { words[i].store(values[i], ordering: .relaxed) }
        sequence.store(sequenceNumber &+ 2, ordering: .releasing)
    }

    /// Copies the words of one complete ``store(_:)`` into `values`. Safe to use from any thread.
    package func load(into values: UnsafeMutableBufferPointer<UInt64>) {
        var attempts = 0
        while true {
            let startNumber = sequence.load(ordering: .acquiring)
            for i in 0..<min(count, values.count) { values[i] = words[i].load(ordering: .relaxed) }
            atomicMemoryFence(ordering: .acquiring)
            if startNumber & 1 == 0, sequence.load(ordering: .relaxed) == startNumber { return }
            attempts += 1
            // After many attempts, the writer was probably preempted in the middle of a write. Yield the processor, so
            // that the writer can finish.
            if attempts > 100 { sched_yield() }
        }
    }
}
