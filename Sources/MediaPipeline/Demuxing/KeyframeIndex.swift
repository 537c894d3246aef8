/// The keyframe positions found so far in a container without an index. A pure value of bounded size.
struct KeyframeIndex: Sendable {
    /// The position of one keyframe in the container.
    struct Entry: Sendable, Equatable {
        /// The time in nanoseconds on the container's continuous timeline.
        var time: Int64
        /// The byte position of the keyframe's packet.
        var position: Int64
        /// The offset that the timeline adds to the timestamps at this position, in nanoseconds.
        var offset: Int64
        /// The number of packets of the stream before the keyframe.
        var precedingPacketCount: Int64

        /// The start of the container.
        static let start = Entry(time: 0, position: 0, offset: 0, precedingPacketCount: 0)
    }

    /// The known keyframes, ordered by time.
    private(set) var entries: [Entry] = []
    /// The maximum number of entries. If it is exceeded, every second entry is dropped.
    let limit: Int

    init(limit: Int = 16_384) { self.limit = limit }

    /// Adds a keyframe, unless one with the same time is known.
    mutating func insert(_ entry: Entry) {
        let index = firstIndex(after: entry.time)
        if index > 0, entries[index - 1].time == entry.time { return }
        entries.insert(entry, at: index)
        // At the limit, drop every second entry: the index covers the same time with fewer keyframes.
        if entries.count > limit { entries = entries.enumerated().filter { $0.offset % 2 == 0 }.map(\.element) }
    }

    /// Returns the last keyframe at or before `time`.
    func last(atOrBefore time: Int64) -> Entry? {
        let index = firstIndex(after: time)
        return index > 0 ? entries[index - 1] : nil
    }

    /// Returns the first keyframe after `time`.
    func first(after time: Int64) -> Entry? {
        let index = firstIndex(after: time)
        return index < entries.count ? entries[index] : nil
    }

    /// Returns whether `time` lies between two keyframes that are so close that no keyframe between them can be
    /// missing.
    func isDense(at time: Int64) -> Bool {
        let index = firstIndex(after: time)
        return index > 0 && index < entries.count
            && entries[index].time - entries[index - 1].time < Self.adjacentDistance
    }

    /// The distance, in nanoseconds, within which two keyframes count as adjacent.
    private static let adjacentDistance: Int64 = 1_000_000_000

    /// Returns the index of the first entry after `time`, by binary search.
    private func firstIndex(after time: Int64) -> Int {
        var low = 0, high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
