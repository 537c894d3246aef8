import MediaPipeline

/// The events of a subtitle track, in the order of their start times and without duplicates. Their number and memory
/// are limited.
package struct SubtitleTimeline: Sendable {
    /// The maximum number of stored events.
    package static let countLimit = 200_000
    /// The maximum memory of stored events in bytes.
    package static let byteLimit = 64 << 20

    /// The properties of an event by which duplicates are recognised.
    private struct EventKey: Hashable {
        var start: Int64
        var end: Int64
        var text: String?
        /// Whether the event is a bitmap event without bitmaps, which clears the screen. Another event with new bitmaps
        /// may start at the same time.
        var isEmpty = false
    }

    /// The events in the order of their start times.
    private var events: [SubtitleEvent] = []
    /// The keys of all stored events, by which duplicates are recognised.
    private var eventKeys: Set<EventKey> = []
    /// The memory of all stored events in bytes.
    private var byteCount = 0
    /// The last result of ``activeEvents(at:)`` and the time range in which it is valid.
    private var cache: (range: Range<Int64>, indices: [Int])?

    package init() {}

    /// The number of stored events.
    package var count: Int { events.count }

    /// Adds an event.
    ///
    /// - Returns: false if the event is a duplicate, has no duration or exceeds the limits.
    @discardableResult
    package mutating func add(_ event: SubtitleEvent) -> Bool {
        guard event.end > event.start, byteCount + event.cost <= Self.byteLimit, events.count < Self.countLimit else {
            return makeRoom(for: event)
        }
        guard eventKeys.insert(Self.key(event)).inserted else { return false }
        // The end of this event is unknown. If the event was read before, `endOpenEvents(at:)` may have ended it, for
        // example at a seek: remove that end.
        if event.end == .max,
            let index = events.lastIndex(where: { $0.start == event.start && $0.content == event.content })
        {
            eventKeys.remove(Self.key(events[index]))
            events[index].end = .max
            cache = nil
            return true
        }
        byteCount += event.cost
        var index = events.count
        while index > 0, events[index - 1].start > event.start { index -= 1 }
        events.insert(event, at: index)
        cache = nil
        return true
    }

    /// Ends the bitmap events that are visible at `time` and have no end time.
    ///
    /// - Returns: Whether such an event existed.
    package mutating func endOpenEvents(at time: Int64) -> Bool {
        guard let last = events.lastIndex(where: { if case .bitmaps = $0.content { $0.start < time } else { false } })
        else { return false }
        let start = events[last].start
        let open = events.indices.filter { events[$0].start == start && events[$0].end == .max }
        for index in open {
            eventKeys.remove(Self.key(events[index]))
            events[index].end = time
            eventKeys.insert(Self.key(events[index]))
        }
        if !open.isEmpty { cache = nil }
        return !open.isEmpty
    }

    /// Returns the properties by which a duplicate of `event` is recognised.
    private static func key(_ event: SubtitleEvent) -> EventKey {
        switch event.content {
        case .text(let text): EventKey(start: event.start, end: event.end, text: text)
        case .bitmaps(let bitmaps, _):
            EventKey(start: event.start, end: event.end, text: nil, isEmpty: bitmaps.isEmpty)
        }
    }

    /// Discards the half of the stored events that is farther in time from `event`, to make room, and adds `event`.
    /// Only for bitmap events, which are large; text does not reach the limit in a real film.
    ///
    /// - Returns: false if there is still no room, or if `event` is text.
    private mutating func makeRoom(for event: SubtitleEvent) -> Bool {
        guard event.end > event.start, case .bitmaps = event.content, events.count > 8 else { return false }
        let farEvents =
            event.start >= (events.last?.start ?? 0) ? events.prefix(events.count / 2) : events.suffix(events.count / 2)
        for old in farEvents { eventKeys.remove(Self.key(old)) }
        events.removeSubrange(farEvents.indices)
        byteCount = events.reduce(0) { $0 + $1.cost }
        return byteCount + event.cost <= Self.byteLimit && add(event)
    }

    /// Returns the events visible at `time` in the order of their start times, and the time range in which they stay
    /// the same.
    package mutating func activeEvents(at time: Int64) -> (events: [SubtitleEvent], range: Range<Int64>) {
        if let cache, cache.range.contains(time) { return (cache.indices.map { events[$0] }, cache.range) }
        var from = Int64.min, to = Int64.max
        var indices: [Int] = []
        for (index, event) in events.enumerated() {
            if event.start > time {
                to = min(to, event.start)
                break
            }
            from = max(from, event.start)
            let end = endTime(ofEventAt: index)
            if end > time {
                indices.append(index)
                to = min(to, end)
            } else {
                from = max(from, end)
            }
        }
        let range = from..<max(to, from &+ 1)
        cache = (range, indices)
        return (indices.map { events[$0] }, range)
    }

    /// Returns the time at which an event ends. A bitmap event ends when the next event starts.
    private func endTime(ofEventAt index: Int) -> Int64 {
        guard case .bitmaps = events[index].content else { return events[index].end }
        let next = events[(index + 1)...].first { $0.start > events[index].start }?.start ?? .max
        return min(events[index].end, next)
    }
}
