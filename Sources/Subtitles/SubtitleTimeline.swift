import MediaPipeline

/// The known events of a subtitle track, in order and without duplicates. Bounded in count and bytes.
package struct SubtitleTimeline: Sendable {
    package static let countLimit = 200_000
    package static let byteLimit = 64 << 20

    private struct Mark: Hashable {
        var start: Int64
        var end: Int64
        var text: String?
        /// Separates a bitmap event that clears the screen from one that starts at the same time with new bitmaps.
        var isEmpty = false
    }

    private var events: [SubtitleEvent] = []
    private var known: Set<Mark> = []
    private var bytes = 0
    /// The last result of ``active(at:)`` and the time range in which it is valid.
    private var found: (range: Range<Int64>, indices: [Int])?

    package init() {}

    package var count: Int { events.count }

    /// Adds an event.
    ///
    /// - Returns: false if the event is a duplicate or exceeds the limits.
    @discardableResult
    package mutating func add(_ event: SubtitleEvent) -> Bool {
        guard event.end > event.start, bytes + event.cost <= Self.byteLimit, events.count < Self.countLimit else {
            return makeRoom(for: event)
        }
        guard known.insert(Self.mark(event)).inserted else { return false }
        // A repeated read of an open event that ``closeOpen(at:)`` had ended: reopen it.
        if event.end == .max,
            let index = events.lastIndex(where: { $0.start == event.start && $0.content == event.content })
        {
            known.remove(Self.mark(events[index]))
            events[index].end = .max
            found = nil
            return true
        }
        bytes += event.cost
        var index = events.count
        while index > 0, events[index - 1].start > event.start { index -= 1 }
        events.insert(event, at: index)
        found = nil
        return true
    }

    /// Ends the bitmap events that are visible at `time` and have no end time.
    ///
    /// - Returns: Whether such an event existed.
    package mutating func closeOpen(at time: Int64) -> Bool {
        guard let last = events.lastIndex(where: { if case .bitmaps = $0.content { $0.start < time } else { false } })
        else { return false }
        let start = events[last].start
        let open = events.indices.filter { events[$0].start == start && events[$0].end == .max }
        for index in open {
            known.remove(Self.mark(events[index]))
            events[index].end = time
            known.insert(Self.mark(events[index]))
        }
        if !open.isEmpty { found = nil }
        return !open.isEmpty
    }

    private static func mark(_ event: SubtitleEvent) -> Mark {
        switch event.content {
        case .text(let text): Mark(start: event.start, end: event.end, text: text)
        case .bitmaps(let bitmaps, _): Mark(start: event.start, end: event.end, text: nil, isEmpty: bitmaps.isEmpty)
        }
    }

    /// Discards the half of the events that is farther from `event`, if it is a bitmap event. Bitmaps are large. Text
    /// never reaches the limit in a real film, so text events are not discarded.
    private mutating func makeRoom(for event: SubtitleEvent) -> Bool {
        guard event.end > event.start, case .bitmaps = event.content, events.count > 8 else { return false }
        let far =
            event.start >= (events.last?.start ?? 0) ? events.prefix(events.count / 2) : events.suffix(events.count / 2)
        for old in far { known.remove(Self.mark(old)) }
        events.removeSubrange(far.indices)
        bytes = events.reduce(0) { $0 + $1.cost }
        return bytes + event.cost <= Self.byteLimit && add(event)
    }

    /// Returns the events visible at `time`, in order, and the time range in which they do not change.
    package mutating func active(at time: Int64) -> (events: [SubtitleEvent], range: Range<Int64>) {
        if let found, found.range.contains(time) { return (found.indices.map { events[$0] }, found.range) }
        var from = Int64.min, to = Int64.max
        var indices: [Int] = []
        for (index, event) in events.enumerated() {
            if event.start > time {
                to = min(to, event.start)
                break
            }
            from = max(from, event.start)
            let end = end(of: index)
            if end > time {
                indices.append(index)
                to = min(to, end)
            } else {
                from = max(from, end)
            }
        }
        let range = from..<max(to, from &+ 1)
        found = (range, indices)
        return (indices.map { events[$0] }, range)
    }

    /// Returns the end of an event. A bitmap event ends when the next event starts.
    private func end(of index: Int) -> Int64 {
        guard case .bitmaps = events[index].content else { return events[index].end }
        let next = events[(index + 1)...].first { $0.start > events[index].start }?.start ?? .max
        return min(events[index].end, next)
    }
}
