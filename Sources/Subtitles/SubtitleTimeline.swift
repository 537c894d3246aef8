import MediaPipeline

/// The events of a subtitle track, in the order of their start times and without duplicates. ``countLimit`` and
/// ``byteLimit`` limit their number and memory.
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
        /// Whether the event is a bitmap event without bitmaps, which removes the visible bitmaps. An event with new
        /// bitmaps may start at the same time.
        var isEmpty = false
    }

    /// The events in the order of their start times.
    private var events: [SubtitleEvent] = []
    /// The keys of all stored events, by which duplicates are recognised.
    private var eventKeys: Set<EventKey> = []
    /// The memory of all stored events in bytes.
    private var byteCount = 0
    /// The indices of the events that ``activeEvents(at:)`` returned most recently, and the time range in which that
    /// result is valid; nil if no result is cached.
    private var cachedResult: (range: Range<Int64>, indices: [Int])?

    package init() {}

    /// The number of stored events.
    package var count: Int { events.count }

    /// Adds an event.
    ///
    /// - Returns: False if the event is a duplicate, has no duration or exceeds the limits.
    @discardableResult
    package mutating func add(_ event: SubtitleEvent) -> Bool {
        guard event.end > event.start, byteCount + event.cost <= Self.byteLimit, events.count < Self.countLimit else {
            return addAfterDiscardingEvents(event)
        }
        guard eventKeys.insert(Self.key(event)).inserted else { return false }
        // The end time of this event is unknown. If the event was read before, `endOpenEvents(at:)` may have set an end
        // time, for example before a seek. Remove that end time.
        if event.end == .max,
            let index = events.lastIndex(where: { $0.start == event.start && $0.content == event.content })
        {
            eventKeys.remove(Self.key(events[index]))
            events[index].end = .max
            cachedResult = nil
            return true
        }
        byteCount += event.cost
        var index = events.count
        while index > 0, events[index - 1].start > event.start { index -= 1 }
        events.insert(event, at: index)
        cachedResult = nil
        return true
    }

    /// Sets `time` as the end time of the bitmap events that are visible at `time` and have no end time.
    ///
    /// - Returns: Whether such an event existed.
    package mutating func endOpenEvents(at time: Int64) -> Bool {
        let lastIndex = events.lastIndex { if case .bitmaps = $0.content { $0.start < time } else { false } }
        guard let lastIndex else { return false }
        let lastStart = events[lastIndex].start
        let openIndices = events.indices.filter { events[$0].start == lastStart && events[$0].end == .max }
        for index in openIndices {
            eventKeys.remove(Self.key(events[index]))
            events[index].end = time
            eventKeys.insert(Self.key(events[index]))
        }
        if !openIndices.isEmpty { cachedResult = nil }
        return !openIndices.isEmpty
    }

    /// Returns the properties by which a duplicate of `event` is recognised.
    private static func key(_ event: SubtitleEvent) -> EventKey {
        switch event.content {
        case .text(let text): EventKey(start: event.start, end: event.end, text: text)
        case .bitmaps(let bitmaps, _):
            EventKey(start: event.start, end: event.end, text: nil, isEmpty: bitmaps.isEmpty)
        }
    }

    /// Discards the half of the stored events whose times differ most from that of `event`, and then adds `event`. Only
    /// bitmap events are large enough to need this; the text of a whole video stays below the limits.
    ///
    /// - Returns: False if `event` is text, or still exceeds the limits.
    private mutating func addAfterDiscardingEvents(_ event: SubtitleEvent) -> Bool {
        guard event.end > event.start, case .bitmaps = event.content, events.count > 8 else { return false }
        let distantEvents =
            event.start >= (events.last?.start ?? 0) ? events.prefix(events.count / 2) : events.suffix(events.count / 2)
        for discardedEvent in distantEvents { eventKeys.remove(Self.key(discardedEvent)) }
        events.removeSubrange(distantEvents.indices)
        byteCount = events.reduce(0) { $0 + $1.cost }
        return byteCount + event.cost <= Self.byteLimit && add(event)
    }

    /// Returns the events visible at `time` in the order of their start times, and the time range in which they stay
    /// the same.
    package mutating func activeEvents(at time: Int64) -> (events: [SubtitleEvent], range: Range<Int64>) {
        if let cachedResult, cachedResult.range.contains(time) {
            return (cachedResult.indices.map { events[$0] }, cachedResult.range)
        }
        var rangeStart = Int64.min, rangeEnd = Int64.max
        var indices: [Int] = []
        for (index, event) in events.enumerated() {
            if event.start > time {
                rangeEnd = min(rangeEnd, event.start)
                break
            }
            rangeStart = max(rangeStart, event.start)
            let eventEnd = endTime(ofEventAt: index)
            if eventEnd > time {
                indices.append(index)
                rangeEnd = min(rangeEnd, eventEnd)
            } else {
                rangeStart = max(rangeStart, eventEnd)
            }
        }
        let range = rangeStart..<max(rangeEnd, rangeStart &+ 1)
        cachedResult = (range, indices)
        return (indices.map { events[$0] }, range)
    }

    /// Returns the start time, in nanoseconds, of the event that lies `count` events after the event at `time`, or
    /// before it if `count` is negative; nil if there is no such event. Events that start at the same time count once.
    /// With a `count` of 0, returns the start of the event that began last.
    package func startTime(of count: Int, from time: Int64) -> Int64? {
        var starts: [Int64] = []
        for event in events where starts.last != event.start { starts.append(event.start) }
        let currentIndex = (starts.firstIndex { $0 > time } ?? starts.count) - 1
        let (index, overflows) = currentIndex.addingReportingOverflow(count)
        return !overflows && starts.indices.contains(index) ? starts[index] : nil
    }

    /// Returns the time at which an event ends. A bitmap event ends when the next event starts.
    private func endTime(ofEventAt index: Int) -> Int64 {
        guard case .bitmaps = events[index].content else { return events[index].end }
        let nextStart = events[(index + 1)...].first { $0.start > events[index].start }?.start ?? .max
        return min(events[index].end, nextStart)
    }
}
