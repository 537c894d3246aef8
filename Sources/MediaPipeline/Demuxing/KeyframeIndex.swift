/// Where keyframes lie in a container that keeps no index of its own, as far as it was read. A pure value of bounded
/// size.
struct KeyframeIndex: Sendable {
    struct Entry: Sendable, Equatable {
        /// Nanoseconds on the container's joined timeline.
        var time: Int64
        /// Byte at which its packet begins.
        var position: Int64
        /// What the timeline adds there.
        var offset: Int64
        /// Packets of the stream before it.
        var count: Int64
    }

    private(set) var entries: [Entry] = []
    let limit: Int

    init(limit: Int = 16_384) { self.limit = limit }

    mutating func note(_ entry: Entry) {
        let place = firstIndex(after: entry.time)
        if place > 0, entries[place - 1].time == entry.time { return }
        entries.insert(entry, at: place)
        // Twice as coarse from here on.
        if entries.count > limit { entries = entries.enumerated().filter { $0.offset % 2 == 0 }.map(\.element) }
    }

    /// The last one at or before `time`.
    func last(atOrBefore time: Int64) -> Entry? {
        let place = firstIndex(after: time)
        return place > 0 ? entries[place - 1] : nil
    }

    /// The first one after `time`.
    func first(after time: Int64) -> Entry? {
        let place = firstIndex(after: time)
        return place < entries.count ? entries[place] : nil
    }

    /// Whether `time` lies between two that are so near each other that none can have been passed over.
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
