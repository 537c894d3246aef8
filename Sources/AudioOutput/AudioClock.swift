import Synchronization
import SystemCalls

/// The clock of the audible frame: written by the render thread, read by any thread.
package final class AudioClock: Sendable {
    /// The published state, from which readers extrapolate until the next one.
    package struct Snapshot: Equatable {
        /// The number of the flush, and the stream frame of position 0 since then.
        package var flush = 0, base = 0
        /// The line of ``ClockSmoother``: a device frame at a host time, and the slope in frames per nanosecond.
        package var frame = 0.0, time: Int64 = 0, slope = 0.0
        /// The last frame that was passed to the device.
        package var limit = 0
        /// The current piece of the position map and the next one.
        package var current = PositionMap.Piece(device: 0, stream: 0, advances: false)
        package var next = PositionMap.Piece(device: 0, stream: 0, advances: false)
        package var isRunning = false, isLost = false

        package init() {}
    }

    /// A position in the stream at a host time.
    package struct Reading: Sendable, Equatable {
        /// The number of frames heard since the last flush.
        package let position: Int64
        /// The host time in nanoseconds at which exactly `position` frames had been heard.
        package let hostTime: Int64
        /// Whether the position advances: false in pauses and while samples are missing.
        package let isRunning: Bool
    }

    private static let words = 13
    private let lock = Seqlock(count: words)
    /// The highest position that was read, in stream frames, so that time never goes backward for any reader.
    private let furthest = Atomic<Int>(0)

    package init() {}

    /// Publishes the state. Render thread only.
    package func publish(_ s: Snapshot) {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.words) { w in
            func put(_ i: Int, _ value: Int) { w[i] = UInt64(bitPattern: Int64(value)) }
            put(0, s.flush)
            put(1, s.base)
            put(2, Int(s.time))
            put(3, s.limit)
            put(4, s.current.device)
            put(5, s.current.stream)
            put(6, s.current.advances ? 1 : 0)
            put(7, s.next.device)
            put(8, s.next.stream)
            put(9, s.next.advances ? 1 : 0)
            put(10, (s.isRunning ? 1 : 0) | (s.isLost ? 2 : 0))
            w[11] = s.frame.bitPattern
            w[12] = s.slope.bitPattern
            lock.store(UnsafeBufferPointer(w))
        }
    }

    /// Returns the published state. Any thread.
    package var snapshot: Snapshot {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.words) { w in
            lock.load(into: w)
            func get(_ i: Int) -> Int { Int(Int64(bitPattern: w[i])) }
            var s = Snapshot()
            s.flush = get(0)
            s.base = get(1)
            s.time = Int64(get(2))
            s.limit = get(3)
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
    /// - Parameter flush: The number of requested flushes. Until the last one is complete, the position is 0.
    /// - Returns: Nil if the device is lost.
    package func reading(at now: Int64, flush: Int) -> Reading? {
        let s = snapshot
        if s.isLost { return nil }
        if s.flush != flush { return Reading(position: 0, hostTime: now, isRunning: false) }
        let place = s.place(at: now)
        let frame = Int(place.stream.rounded(.down))
        let before = furthest.max(frame, ordering: .relaxed).oldValue
        if frame < s.base { return Reading(position: 0, hostTime: now, isRunning: false) }
        if before > frame { return Reading(position: Int64(before - s.base), hostTime: now, isRunning: place.moves) }
        let since = place.moves && s.slope > 0 ? Int64((place.stream - Double(frame)) / s.slope) : 0
        return Reading(position: Int64(frame - s.base), hostTime: now - since, isRunning: place.moves)
    }
}

extension AudioClock.Snapshot {
    /// Returns the audible stream frame at a host time, and whether it advances.
    package func place(at now: Int64) -> (stream: Double, moves: Bool) {
        let line = isRunning ? frame + slope * Double(now - time) : frame
        let device = min(line, Double(limit))
        let piece = device >= Double(next.device) ? next : current
        guard piece.advances else { return (Double(piece.stream), false) }
        let offset = device - Double(piece.device)
        return (Double(piece.stream) + max(offset, 0), isRunning && offset >= 0 && line < Double(limit))
    }
}
