/// The keyframe positions found so far in a container without an index. A pure value of bounded size.
struct KeyframeIndex: Sendable {
    struct Entry: Sendable, Equatable {
        /// The time in nanoseconds on the container's joined timeline.
        var time: Int64
        /// The byte position of the keyframe's packet.
        var position: Int64
        /// The offset that the timeline adds at this position, in nanoseconds.
        var offset: Int64
        /// The number of earlier packets of the stream.
        var count: Int64
    }

    private(set) var entries: [Entry] = []
    let limit: Int

    init(limit: Int = 16_384) { self.limit = limit }

    mutating func note(_ entry: Entry) {
        let place = firstIndex(after: entry.time)
        if place > 0, entries[place - 1].time == entry.time { return }
        entries.insert(entry, at: place)
        // Drop every second entry.
        if entries.count > limit { entries = entries.enumerated().filter { $0.offset % 2 == 0 }.map(\.element) }
    }

    /// Returns the last keyframe at or before `time`.
    func last(atOrBefore time: Int64) -> Entry? {
        let place = firstIndex(after: time)
        return place > 0 ? entries[place - 1] : nil
    }

    /// Returns the first keyframe after `time`.
    func first(after time: Int64) -> Entry? {
        let place = firstIndex(after: time)
        return place < entries.count ? entries[place] : nil
    }

    /// Returns whether `time` lies between two keyframes that are so close that no keyframe between them can be
    /// missing.
    func isDense(at time: Int64) -> Bool {
        let place = firstIndex(after: time)
        return place > 0 && place < entries.count && entries[place].time - entries[place - 1].time < Self.dense
    }

    private static let dense: Int64 = 1_000_000_000

    private func firstIndex(after time: Int64) -> Int {
        var low = 0, high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
