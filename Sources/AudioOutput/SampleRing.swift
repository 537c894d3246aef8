import Synchronization

/// A lock-free ring buffer of PCM frames between the producer and the render thread: one writer, one reader.
///
/// Frame indices only grow. The reader stores its own position and calls ``release(upTo:rendered:)`` for frames that it
/// does not need again, so that frames that were not heard stay readable.
///
/// `@unchecked Sendable`: samples at `firstKeptIndex..<nextWriteIndex` belong to the reader, all others to the writer.
/// Both bounds are stored with release and loaded with acquire ordering.
package final class SampleRing: @unchecked Sendable {
    package let channels: Int
    /// The capacity in frames, a power of two.
    package let capacity: Int
    private let samples: UnsafeMutablePointer<Float>
    /// The index of the next frame that the writer stores.
    private let nextWriteIndex = Atomic<Int>(0)
    /// The index of the first frame that the reader may read again.
    private let firstKeptIndex = Atomic<Int>(0)
    /// The index of the next frame that the reader renders.
    private let nextRenderIndex = Atomic<Int>(0)
    /// The maximum number of frames by which the writer is ahead of the rendered frames.
    package let maximumLead: Int

    /// Creates a ring buffer.
    ///
    /// - Parameters:
    ///   - lead: The maximum lead of the writer in frames.
    ///   - retained: The minimum number of rendered frames that stay readable.
    package init(channels: Int, lead: Int, retained: Int) {
        self.channels = channels
        maximumLead = lead
        var capacity = 64
        while capacity < lead + retained { capacity *= 2 }
        self.capacity = capacity
        samples = .allocate(capacity: capacity * channels)
        samples.initialize(repeating: 0, count: capacity * channels)
    }

    deinit { samples.deallocate() }

    /// The index of the next frame to write. Safe to use from any thread.
    package var writeIndex: Int { nextWriteIndex.load(ordering: .acquiring) }
    /// The index of the oldest frame that the ring buffer still contains. Safe to use from any thread.
    package var oldestIndex: Int { firstKeptIndex.load(ordering: .acquiring) }
    /// The number of frames that ``write(_:)`` accepts now. Safe to use from any thread.
    package var freeFrames: Int { writableFrames(at: nextWriteIndex.load(ordering: .acquiring)) }

    /// Returns how many frames may be written from index `index` on.
    private func writableFrames(at index: Int) -> Int {
        let freeFrameCount = capacity - (index - firstKeptIndex.load(ordering: .acquiring))
        return max(0, min(freeFrameCount, maximumLead - (index - nextRenderIndex.load(ordering: .acquiring))))
    }

    /// Stores the whole frames in `source` that fit. Writer only.
    ///
    /// - Returns: The number of accepted frames.
    package func write(_ source: UnsafeBufferPointer<Float>) -> Int {
        guard let baseAddress = source.baseAddress else { return 0 }
        let index = nextWriteIndex.load(ordering: .relaxed)
        let count = min(writableFrames(at: index), source.count / channels)
        let framesBeforeWrap = min(count, capacity - (index & (capacity - 1)))
        (samples + (index & (capacity - 1)) * channels).update(from: baseAddress, count: framesBeforeWrap * channels)
        samples.update(from: baseAddress + framesBeforeWrap * channels, count: (count - framesBeforeWrap) * channels)
        nextWriteIndex.store(index + count, ordering: .releasing)
        return count
    }

    /// Copies `count` frames from `index`, which must lie in `oldestIndex..<writeIndex`. Reader only.
    package func copy(from index: Int, count: Int, into target: UnsafeMutablePointer<Float>) {
        let framesBeforeWrap = min(count, capacity - (index & (capacity - 1)))
        target.update(from: samples + (index & (capacity - 1)) * channels, count: framesBeforeWrap * channels)
        (target + framesBeforeWrap * channels).update(from: samples, count: (count - framesBeforeWrap) * channels)
    }

    /// The frames that were written and not rendered, for the renderer that continues after this buffer's reader has
    /// ended.
    package var remainingSamples: [Float] {
        let start = nextRenderIndex.load(ordering: .acquiring)
        let count = nextWriteIndex.load(ordering: .acquiring) - start
        return [Float](unsafeUninitializedCapacity: count * channels) { target, initialized in
            if let baseAddress = target.baseAddress { copy(from: start, count: count, into: baseAddress) }
            initialized = count * channels
        }
    }

    /// Releases the frames before `index`. The writer may then be ``maximumLead`` frames ahead of `cursor`. Reader
    /// only.
    ///
    /// - Returns: Whether the writer has more room than before, and enough of it (``wakeRoom``) to be woken.
    package func release(upTo index: Int, rendered cursor: Int) -> Bool {
        let previousRoom = writableFrames(at: nextWriteIndex.load(ordering: .relaxed))
        if index > firstKeptIndex.load(ordering: .relaxed) { firstKeptIndex.store(index, ordering: .releasing) }
        nextRenderIndex.store(cursor, ordering: .releasing)
        let freeFrameCount = writableFrames(at: nextWriteIndex.load(ordering: .relaxed))
        return freeFrameCount > previousRoom && freeFrameCount >= wakeRoom
    }

    /// The number of free frames at which a waiting writer is woken: a quarter of its maximum lead, so that it writes
    /// several blocks each time that it wakes.
    private var wakeRoom: Int { maximumLead / 4 }
}
