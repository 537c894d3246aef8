import SystemCalls

/// A recording of which numbered frame of a test clip each window showed: a list of the changes of the windows'
/// content, with host times.
package struct ScreenRecording: Sendable {
    /// The content of a window.
    package enum Content: Sendable, Hashable {
        /// The window is not on the screen.
        case absent
        /// The window is covered or shows no frame number.
        case unreadable
        /// The window shows the frame of the test clip with this number.
        case frame(Int)
    }
    /// A change of the content of a window.
    package struct ContentChange: Sendable, Equatable {
        /// The host time of the change, in nanoseconds.
        package let time: Int64
        package let window: WindowQuery
        /// The content of the window after the change.
        package let content: Content
        package init(time: Int64, window: WindowQuery, content: Content) {
            self.time = time
            self.window = window
            self.content = content
        }
        /// The number of the shown frame; nil if no frame is shown or readable.
        package var frame: Int? { if case .frame(let number) = content { number } else { nil } }
    }

    /// The content changes of all windows, oldest first.
    package let contentChanges: [ContentChange]
    /// The periods, in host time (nanoseconds), of more than ``stallThreshold`` in which the recorder did not run. The
    /// content of the windows in these periods is unknown.
    package let stalls: [ClosedRange<Int64>]
    package init(_ contentChanges: [ContentChange], stalls: [ClosedRange<Int64>] = []) {
        self.contentChanges = contentChanges
        self.stalls = stalls
    }

    /// The longest time, in nanoseconds, between two readings of the windows that does not count as a stall of the
    /// recorder. A frame of a 60 fps clip cannot appear and disappear within this time.
    package static let stallThreshold: Int64 = 8_000_000

    /// Returns the frame numbers that one window showed, or all windows if `window` is nil, with their host times.
    package func frames(of window: WindowQuery? = nil) -> [(time: Int64, frame: Int)] {
        contentChanges.compactMap { change in
            guard window == nil || change.window == window, let frame = change.frame else { return nil }
            return (change.time, frame)
        }
    }

    /// Returns the part of the recording from `start` to `end`, both host times in nanoseconds.
    package func between(_ start: Int64, _ end: Int64) -> ScreenRecording {
        ScreenRecording(contentChanges.filter { $0.time >= start && $0.time <= end }, stalls: stalls)
    }

    /// The frame numbers between the lowest and the highest recorded frame that no window showed.
    ///
    /// The recorder can overlook a frame that is shown while the recorder stalls. Therefore this property omits, from
    /// each series of missing frames, as many frames as were due while the recorder stalled during that series. It
    /// omits no frame if the recorder stalled for more than a quarter of the recording.
    package var missedFrameNumbers: [Int] {
        let records = frames()
        guard let first = records.first, let last = records.last else { return [] }
        let shownFrames = Set(records.map(\.frame))
        let totalStallTime = stallDuration(first.time, last.time)
        let isReliable = totalStallTime * 4 <= last.time - first.time
        let interval = (last.time - first.time) / Int64(max(1, (shownFrames.max() ?? 0) - (shownFrames.min() ?? 0)))
        var highestRecord = first
        var missedNumbers: [Int] = []
        for shownRecord in records where shownRecord.frame > highestRecord.frame {
            let missingFrames = (highestRecord.frame + 1..<shownRecord.frame).filter { !shownFrames.contains($0) }
            let stallTime = stallDuration(highestRecord.time, shownRecord.time)
            missedNumbers += missingFrames.dropFirst(
                isReliable ? Int((stallTime + interval - 1) / max(1, interval)) : 0)
            highestRecord = shownRecord
        }
        return missedNumbers
    }

    /// Returns how long the recorder stalled between the host times `start` and `end`, all in nanoseconds.
    private func stallDuration(_ start: Int64, _ end: Int64) -> Int64 {
        stalls.reduce(0) { $0 + max(0, min($1.upperBound, end) - max($1.lowerBound, start)) }
    }

    /// Returns how often the frame number that a window showed decreased.
    package func backwardStepCount(in window: WindowQuery) -> Int {
        let numbers = frames(of: window).map(\.frame)
        return zip(numbers, numbers.dropFirst()).count { $1 < $0 }
    }

    /// The longest time without a new frame in any window, in nanoseconds.
    package var longestFreeze: Int64 {
        var highestFrame = -1
        var newFrameTimes: [Int64] = []
        for (time, frame) in frames() where frame > highestFrame {
            highestFrame = frame
            newFrameTimes.append(time)
        }
        return zip(newFrameTimes, newFrameTimes.dropFirst()).map { $1 - $0 }.max() ?? 0
    }
}
