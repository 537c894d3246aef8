import Synchronization
import SystemCalls

/// The playback clock: the stream frame that is audible at a host time. The render thread writes it; any thread reads
/// it.
package final class AudioClock: Sendable {
    /// The state that the render thread publishes. Readers compute the current position from the newest published
    /// state.
    package struct Snapshot: Equatable {
        /// The sequence number of the newest flush, and the stream frame that counts as position 0 since that flush.
        package var flushNumber = 0, baseFrame = 0
        /// The clock's position as a straight line (``ClockSmoother``): device frame `frame` is heard at host time
        /// `time` in nanoseconds, and `slope` frames are heard in each nanosecond.
        package var frame = 0.0, time: Int64 = 0, slope = 0.0
        /// The number of device frames that were written, which the position never exceeds.
        package var writtenFrames = 0
        /// The audible segment of ``PositionMap``, and the segment that follows it.
        package var currentSegment = PositionMap.Segment(deviceFrame: 0, streamFrame: 0, advancesStream: false)
        package var nextSegment = PositionMap.Segment(deviceFrame: 0, streamFrame: 0, advancesStream: false)
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
    package func publish(_ snapshot: Snapshot) {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.wordCount) { words in
            func setWord(_ i: Int, _ value: Int) { words[i] = UInt64(bitPattern: Int64(value)) }
            setWord(0, snapshot.flushNumber)
            setWord(1, snapshot.baseFrame)
            setWord(2, Int(snapshot.time))
            setWord(3, snapshot.writtenFrames)
            setWord(4, snapshot.currentSegment.deviceFrame)
            setWord(5, snapshot.currentSegment.streamFrame)
            setWord(6, snapshot.currentSegment.advancesStream ? 1 : 0)
            setWord(7, snapshot.nextSegment.deviceFrame)
            setWord(8, snapshot.nextSegment.streamFrame)
            setWord(9, snapshot.nextSegment.advancesStream ? 1 : 0)
            setWord(10, (snapshot.isRunning ? 1 : 0) | (snapshot.isLost ? 2 : 0))
            words[11] = snapshot.frame.bitPattern
            words[12] = snapshot.slope.bitPattern
            publishedWords.store(UnsafeBufferPointer(words))
        }
    }

    /// The most recently published state of the clock. Safe to use from any thread.
    package var snapshot: Snapshot {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.wordCount) { words in
            publishedWords.load(into: words)
            func word(_ i: Int) -> Int { Int(Int64(bitPattern: words[i])) }
            var result = Snapshot()
            result.flushNumber = word(0)
            result.baseFrame = word(1)
            result.time = Int64(word(2))
            result.writtenFrames = word(3)
            result.currentSegment = .init(deviceFrame: word(4), streamFrame: word(5), advancesStream: word(6) != 0)
            result.nextSegment = .init(deviceFrame: word(7), streamFrame: word(8), advancesStream: word(9) != 0)
            result.isRunning = word(10) & 1 != 0
            result.isLost = word(10) & 2 != 0
            result.frame = Double(bitPattern: words[11])
            result.slope = Double(bitPattern: words[12])
            return result
        }
    }

    /// Returns the position at a host time.
    ///
    /// - Parameter flush: The number of requested flushes. The position is 0 until the render thread has started the
    ///   newest flush.
    /// - Returns: Nil if the device is lost.
    package func reading(at now: Int64, flush: Int) -> Reading? {
        let snapshot = self.snapshot
        if snapshot.isLost { return nil }
        if snapshot.flushNumber != flush { return Reading(position: 0, hostTime: now, isRunning: false) }
        let position = snapshot.position(at: now)
        let frame = Int(position.stream.rounded(.down))
        let previousMaximum = latestPosition.max(frame, ordering: .relaxed).oldValue
        if frame < snapshot.baseFrame { return Reading(position: 0, hostTime: now, isRunning: false) }
        let isAdvancing = position.isAdvancing
        if previousMaximum > frame {
            return Reading(
                position: Int64(previousMaximum - snapshot.baseFrame), hostTime: now, isRunning: isAdvancing)
        }
        let partOfFrame = position.stream - Double(frame)
        let timeSinceFrame = isAdvancing && snapshot.slope > 0 ? Int64(partOfFrame / snapshot.slope) : 0
        return Reading(
            position: Int64(frame - snapshot.baseFrame), hostTime: now - timeSinceFrame, isRunning: isAdvancing)
    }
}

extension AudioClock.Snapshot {
    /// Returns the audible stream frame at a host time, and whether that position advances.
    package func position(at now: Int64) -> (stream: Double, isAdvancing: Bool) {
        let lineFrame = isRunning ? frame + slope * Double(now - time) : frame
        let deviceFrame = min(lineFrame, Double(writtenFrames))
        let segment = deviceFrame >= Double(nextSegment.deviceFrame) ? nextSegment : currentSegment
        guard segment.advancesStream else { return (Double(segment.streamFrame), false) }
        let offset = deviceFrame - Double(segment.deviceFrame)
        return (
            Double(segment.streamFrame) + max(offset, 0), isRunning && offset >= 0 && lineFrame < Double(writtenFrames)
        )
    }
}
