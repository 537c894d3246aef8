import Synchronization

/// PCM between the producer and the render thread: one writer, one reader, no locks.
///
/// Frames are named by their index since the ring was made, which only grows. The reader keeps its place itself and
/// says with ``release(upTo:rendered:)`` what it will not need again: what was handed to a device but not heard stays
/// readable.
///
/// `@unchecked Sendable`: samples at indices in `released..<written` belong to the reader, all others to the writer;
/// the two bounds move by release stores that the other side loads with acquire.
package final class SampleRing: @unchecked Sendable {
    package let channels: Int
    /// Frames that fit; a power of two.
    package let capacity: Int
    private let samples: UnsafeMutablePointer<Float>
    private let written = Atomic<Int>(0)
    private let released = Atomic<Int>(0)
    private let rendered = Atomic<Int>(0)
    /// How many frames the writer may be ahead of what was rendered.
    package let lead: Int

    /// - Parameters:
    ///   - lead: how many frames the writer may be ahead.
    ///   - retained: how many frames behind stay readable at least.
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

    /// The index that the next written frame gets. Any thread.
    package var writeIndex: Int { written.load(ordering: .acquiring) }
    /// The first index that is still kept. Any thread.
    package var releasedIndex: Int { released.load(ordering: .acquiring) }
    /// Frames that ``write(_:)`` would take now. Any thread.
    package var freeFrames: Int { free(at: written.load(ordering: .acquiring)) }

    private func free(at index: Int) -> Int {
        let room = capacity - (index - released.load(ordering: .acquiring))
        return max(0, min(room, lead - (index - rendered.load(ordering: .acquiring))))
    }

    /// Adds whole frames. Writer only.
    ///
    /// - Returns: how many frames there was room for.
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

    /// Copies `count` frames from `index` on, all of which must be in `releasedIndex..<writeIndex`. Reader only.
    package func copy(from index: Int, count: Int, into target: UnsafeMutablePointer<Float>) {
        let first = min(count, capacity - (index & (capacity - 1)))
        target.update(from: samples + (index & (capacity - 1)) * channels, count: first * channels)
        (target + first * channels).update(from: samples, count: (count - first) * channels)
    }

    /// Frames from the last rendered one on, for whoever comes after a reader that has ended.
    package var rest: [Float] {
        let start = rendered.load(ordering: .acquiring), count = written.load(ordering: .acquiring) - start
        return [Float](unsafeUninitializedCapacity: count * channels) { target, initialized in
            if let base = target.baseAddress { copy(from: start, count: count, into: base) }
            initialized = count * channels
        }
    }

    /// Gives the room of all frames before `index` back to the writer, who may be ``lead`` frames ahead of `cursor`.
    /// Reader only.
    ///
    /// - Returns: whether there is more room now.
    package func release(upTo index: Int, rendered cursor: Int) -> Bool {
        let before = free(at: written.load(ordering: .relaxed))
        if index > released.load(ordering: .relaxed) { released.store(index, ordering: .releasing) }
        rendered.store(cursor, ordering: .releasing)
        return free(at: written.load(ordering: .relaxed)) > before
    }
}
