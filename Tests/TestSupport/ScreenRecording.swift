import SystemCalls

/// What a viewer saw: each change of what a watched window shows, with the moment it was seen.
package struct ScreenRecording: Sendable {
    /// What a window shows.
    package enum Content: Sendable, Hashable {
        /// There is no such window on the screen.
        case absent
        /// It is there and shows no frame of a fixture, or is covered.
        case unreadable
        case frame(Int)
    }
    package struct Sighting: Sendable, Equatable {
        /// Host nanoseconds.
        package let time: Int64
        package let window: WindowQuery
        package let content: Content
        package init(time: Int64, window: WindowQuery, content: Content) {
            self.time = time
            self.window = window
            self.content = content
        }
        package var frame: Int? { if case .frame(let number) = content { number } else { nil } }
    }

    package let sightings: [Sighting]
    /// When nobody looked: the machine kept the recorder waiting for longer than ``blink``. What was on the screen then
    /// is not known.
    package let blinks: [ClosedRange<Int64>]
    package init(_ sightings: [Sighting], blinks: [ClosedRange<Int64>] = []) {
        self.sightings = sightings
        self.blinks = blinks
    }

    /// The longest time between two looks, in nanoseconds, in which no frame of 60 a second can come and go.
    package static let blink: Int64 = 8_000_000

    /// What was seen in one window, or in all.
    package func frames(of window: WindowQuery? = nil) -> [(time: Int64, frame: Int)] {
        sightings.compactMap { seen in
            guard window == nil || seen.window == window, let frame = seen.frame else { return nil }
            return (seen.time, frame)
        }
    }

    /// The part from `start` to `end`.
    package func between(_ start: Int64, _ end: Int64) -> ScreenRecording {
        ScreenRecording(sightings.filter { $0.time >= start && $0.time <= end }, blinks: blinks)
    }

    /// The first frame seen in `window` after `time` that is at least `frame`.
    package func first(in window: WindowQuery, after time: Int64, atLeast frame: Int = 0) -> (time: Int64, frame: Int)?
    {
        frames(of: window).first { $0.time > time && $0.frame >= frame }
    }

    /// Frames between the lowest and the highest seen that no window showed.
    ///
    /// A stall of the recorder excuses as many frames of the gap that it lies in as pass within the stall, no more. A
    /// recorder that stalled for more than a quarter of the recording excuses none.
    package var missed: [Int] {
        let all = frames()
        guard let first = all.first, let last = all.last else { return [] }
        let seen = Set(all.map(\.frame))
        let stalled = stallTime(first.time, last.time)
        let isTrusted = stalled * 4 <= last.time - first.time
        let interval = (last.time - first.time) / Int64(max(1, (seen.max() ?? 0) - (seen.min() ?? 0)))
        var highest = first
        var missed: [Int] = []
        for sight in all where sight.frame > highest.frame {
            let gap = (highest.frame + 1..<sight.frame).filter { !seen.contains($0) }
            let stall = stallTime(highest.time, sight.time)
            missed += gap.dropFirst(isTrusted ? Int((stall + interval - 1) / max(1, interval)) : 0)
            highest = sight
        }
        return missed
    }

    /// How long the recorder stalled between `start` and `end`, in nanoseconds.
    private func stallTime(_ start: Int64, _ end: Int64) -> Int64 {
        blinks.reduce(0) { $0 + max(0, min($1.upperBound, end) - max($1.lowerBound, start)) }
    }

    /// How often a window showed an earlier frame than it had shown before.
    package func backwardSteps(in window: WindowQuery) -> Int {
        let numbers = frames(of: window).map(\.frame)
        return zip(numbers, numbers.dropFirst()).count { $1 < $0 }
    }

    /// The longest time, in nanoseconds, in which no new frame appeared in any window.
    package var longestFreeze: Int64 {
        var highest = -1
        var news: [Int64] = []
        for (time, frame) in frames() where frame > highest {
            highest = frame
            news.append(time)
        }
        return zip(news, news.dropFirst()).map { $1 - $0 }.max() ?? 0
    }

    /// The standard deviation of the time between frames in one window, in nanoseconds.
    package func jitter(in window: WindowQuery) -> Double {
        let times = frames(of: window).map(\.time)
        let steps = zip(times, times.dropFirst()).map { Double($1 - $0) }
        guard steps.count > 1 else { return 0 }
        let mean = steps.reduce(0, +) / Double(steps.count)
        return (steps.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(steps.count)).squareRoot()
    }
}
