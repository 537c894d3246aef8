import Synchronization

/// A lock-free ring of PCM frames between the producer and the render thread: one writer, one reader.
///
/// Frames have indices that only grow. The reader keeps its position itself and calls ``release(upTo:rendered:)`` for
/// frames that it does not need again, so that frames that were not heard stay readable.
///
/// `@unchecked Sendable`: samples at `released..<written` belong to the reader, all others to the writer. Both bounds
/// are stored with release and loaded with acquire ordering.
package final class SampleRing: @unchecked Sendable {
    package let channels: Int
    /// The capacity in frames, a power of two.
    package let capacity: Int
    private let samples: UnsafeMutablePointer<Float>
    private let written = Atomic<Int>(0)
    private let released = Atomic<Int>(0)
    private let rendered = Atomic<Int>(0)
    /// The maximum lead of the writer over the rendered frames.
    package let lead: Int

    /// Creates a ring.
    ///
    /// - Parameters:
    ///   - lead: The maximum lead of the writer in frames.
    ///   - retained: The minimum number of rendered frames that stay readable.
    package init(channels: Int, lead: Int, retained: Int) {
        self.channels = channels
        self.lead = lead
        var capacity = 64
        while capacity < lead + retained { capacity *= 2 }
        self.capacity = capacity
        samples = .allocate(capacity: capacity * channels)
        samples.initialize(repeating: 0, count: capacity * channels)
    }

    deinit { samples.deallocate() }

    /// The index of the next written frame. Any thread.
    package var writeIndex: Int { written.load(ordering: .acquiring) }
    /// The first index that is kept. Any thread.
    package var releasedIndex: Int { released.load(ordering: .acquiring) }
    /// The number of frames that ``write(_:)`` accepts now. Any thread.
    package var freeFrames: Int { free(at: written.load(ordering: .acquiring)) }

    private func free(at index: Int) -> Int {
        let room = capacity - (index - released.load(ordering: .acquiring))
        return max(0, min(room, lead - (index - rendered.load(ordering: .acquiring))))
    }

    /// Adds whole frames. Writer only.
    ///
    /// - Returns: The number of accepted frames.
    package func write(_ source: UnsafeBufferPointer<Float>) -> Int {
        guard let base = source.baseAddress else { return 0 }
        let index = written.load(ordering: .relaxed)
        let count = min(free(at: index), source.count / channels)
        let first = min(count, capacity - (index & (capacity - 1)))
        (samples + (index & (capacity - 1)) * channels).update(from: base, count: first * channels)
        samples.update(from: base + first * channels, count: (count - first) * channels)
        written.store(index + count, ordering: .releasing)
        return count
    }

    /// Copies `count` frames from `index`, which must lie in `releasedIndex..<writeIndex`. Reader only.
    package func copy(from index: Int, count: Int, into target: UnsafeMutablePointer<Float>) {
        let first = min(count, capacity - (index & (capacity - 1)))
        target.update(from: samples + (index & (capacity - 1)) * channels, count: first * channels)
        (target + first * channels).update(from: samples, count: (count - first) * channels)
    }

    /// Returns the frames from the last rendered one, for the successor of an ended reader.
    package var rest: [Float] {
        let start = rendered.load(ordering: .acquiring), count = written.load(ordering: .acquiring) - start
        return [Float](unsafeUninitializedCapacity: count * channels) { target, initialized in
            if let base = target.baseAddress { copy(from: start, count: count, into: base) }
            initialized = count * channels
        }
    }

    /// Releases the frames before `index`. The writer may then be ``lead`` frames ahead of `cursor`. Reader only.
    ///
    /// - Returns: Whether there is more room now.
    package func release(upTo index: Int, rendered cursor: Int) -> Bool {
        let before = free(at: written.load(ordering: .relaxed))
        if index > released.load(ordering: .relaxed) { released.store(index, ordering: .releasing) }
        rendered.store(cursor, ordering: .releasing)
        return free(at: written.load(ordering: .relaxed)) > before
    }
}
