import Synchronization
import SystemCalls

/// The playback clock: the stream frame that is audible at a host time. The render thread writes it; any thread reads
/// it.
package final class AudioClock: Sendable {
    /// The state that the render thread publishes. Readers compute the current position from it until the next state is
    /// published.
    package struct Snapshot: Equatable {
        /// The sequence number of the newest flush, and the stream frame that counts as position 0 since that flush.
        package var flush = 0, base = 0
        /// The clock's position as a straight line (``ClockSmoother``): device frame `frame` is heard at host time
        /// `time` in nanoseconds, and `slope` frames are heard in each nanosecond.
        package var frame = 0.0, time: Int64 = 0, slope = 0.0
        /// The number of device frames that were written, which the position never exceeds.
        package var writtenFrames = 0
        /// The segment of ``PositionMap`` that is audible, in ``current``, and the segment after it, in ``next``.
        package var current = PositionMap.Segment(device: 0, stream: 0, advances: false)
        package var next = PositionMap.Segment(device: 0, stream: 0, advances: false)
        /// Whether the audible position advances, and whether the device is lost.
        package var isRunning = false, isLost = false

        package init() {}
    }

    /// The audible position in the stream at a host time.
    package struct Reading: Sendable, Equatable {
        /// The number of frames heard since the last flush.
        package let position: Int64
        /// The host time in nanoseconds at which exactly `position` frames had been heard.
        package let hostTime: Int64
        /// Whether the position advances: false in pauses and while samples are missing.
        package let isRunning: Bool
    }

    /// The number of 64-bit words that represent a ``Snapshot`` in ``publishedWords``.
    private static let wordCount = 13
    /// The published snapshot as words that are read and written without waiting.
    private let publishedWords = Seqlock(count: wordCount)
    /// The highest position that any reader has received, in stream frames, so that time never goes backward.
    private let latestPosition = Atomic<Int>(0)

    package init() {}

    /// Publishes a new state of the clock. Render thread only.
    package func publish(_ s: Snapshot) {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.wordCount) { w in
            func put(_ i: Int, _ value: Int) { w[i] = UInt64(bitPattern: Int64(value)) }
            put(0, s.flush)
            put(1, s.base)
            put(2, Int(s.time))
            put(3, s.writtenFrames)
            put(4, s.current.device)
            put(5, s.current.stream)
            put(6, s.current.advances ? 1 : 0)
            put(7, s.next.device)
            put(8, s.next.stream)
            put(9, s.next.advances ? 1 : 0)
            put(10, (s.isRunning ? 1 : 0) | (s.isLost ? 2 : 0))
            w[11] = s.frame.bitPattern
            w[12] = s.slope.bitPattern
            publishedWords.store(UnsafeBufferPointer(w))
        }
    }

    /// The most recently published state of the clock. Any thread.
    package var snapshot: Snapshot {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.wordCount) { w in
            publishedWords.load(into: w)
            func get(_ i: Int) -> Int { Int(Int64(bitPattern: w[i])) }
            var s = Snapshot()
            s.flush = get(0)
            s.base = get(1)
            s.time = Int64(get(2))
            s.writtenFrames = get(3)
            s.current = .init(device: get(4), stream: get(5), advances: get(6) != 0)
            s.next = .init(device: get(7), stream: get(8), advances: get(9) != 0)
            s.isRunning = get(10) & 1 != 0
            s.isLost = get(10) & 2 != 0
            s.frame = Double(bitPattern: w[11])
            s.slope = Double(bitPattern: w[12])
            return s
        }
    }

    /// Returns the position at a host time.
    ///
    /// - Parameter flush: The number of requested flushes. The position is 0 until the render thread has started the
    ///   newest flush.
    /// - Returns: Nil if the device is lost.
    package func reading(at now: Int64, flush: Int) -> Reading? {
        let s = snapshot
        if s.isLost { return nil }
        if s.flush != flush { return Reading(position: 0, hostTime: now, isRunning: false) }
        let position = s.position(at: now)
        let frame = Int(position.stream.rounded(.down))
        let before = latestPosition.max(frame, ordering: .relaxed).oldValue
        if frame < s.base { return Reading(position: 0, hostTime: now, isRunning: false) }
        if before > frame { return Reading(position: Int64(before - s.base), hostTime: now, isRunning: position.moves) }
        let since = position.moves && s.slope > 0 ? Int64((position.stream - Double(frame)) / s.slope) : 0
        return Reading(position: Int64(frame - s.base), hostTime: now - since, isRunning: position.moves)
    }
}

extension AudioClock.Snapshot {
    /// Returns the audible stream frame at a host time, and whether that position advances.
    package func position(at now: Int64) -> (stream: Double, moves: Bool) {
        let line = isRunning ? frame + slope * Double(now - time) : frame
        let device = min(line, Double(writtenFrames))
        let segment = device >= Double(next.device) ? next : current
        guard segment.advances else { return (Double(segment.stream), false) }
        let offset = device - Double(segment.device)
        return (Double(segment.stream) + max(offset, 0), isRunning && offset >= 0 && line < Double(writtenFrames))
    }
}
