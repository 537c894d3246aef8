import DequeModule

/// The subtitle packets of every track that were read so far, so that a track chosen later can show the current line at
/// once. A pure data structure.
struct SubtitlePacketCache: Sendable {
    /// The kept packets of one track.
    private struct TrackPackets {
        var entries = Deque<Entry>()
        /// The size of the kept packets in bytes.
        var byteCount = 0
        /// The number of entries dropped so far from the start of the list.
        var droppedEntryCount = 0
        /// Whether the track's events are bitmaps, which last until the next event.
        let isBitmap: Bool
    }

    /// An element of the list of a track's packets.
    enum Entry: Sendable {
        /// A packet of the track.
        case packet(Packet)
        /// A seek: the following packets were read at another position. `after` is the position up to which packets
        /// were read before the seek, in nanoseconds on the item's timeline.
        case gap(after: Int64)

        /// The packet; nil for a gap.
        var packet: Packet? { if case .packet(let packet) = self { packet } else { nil } }
    }

    /// The maximum size of the kept packets of one track, in bytes.
    static let byteLimit = 4 << 20
    /// The maximum number of kept packets of one track.
    static let countLimit = 20_000
    /// The kept packets by track.
    private var tracks: [Int: TrackPackets] = [:]
    /// The position up to which the container was read since the last seek, in nanoseconds on the item's timeline.
    var readUntil: Int64?

    /// Starts to keep the packets of a track.
    mutating func add(_ track: Int, isBitmap: Bool) { tracks[track] = TrackPackets(isBitmap: isBitmap) }
    /// Returns whether the packets of a track are kept.
    func keepsPackets(of track: Int) -> Bool { tracks[track] != nil }

    /// Keeps a packet of a track that was added, and drops the oldest packets beyond the limits.
    mutating func push(_ packet: Packet, track: Int) {
        guard var queue = tracks.removeValue(forKey: track) else { return }
        queue.entries.append(.packet(packet))
        queue.byteCount += packet.byteCount
        while let oldestEntry = queue.entries.first, queue.entries.count > 1,
            queue.byteCount > Self.byteLimit || queue.entries.count > Self.countLimit
        {
            queue.entries.removeFirst()
            queue.byteCount -= oldestEntry.packet?.byteCount ?? 0
            queue.droppedEntryCount += 1
        }
        tracks[track] = queue
    }

    /// Returns whether a packet of the track with this presentation timestamp (in the time base of the track) is kept.
    func hasPacket(of track: Int, at timestamp: Int64) -> Bool {
        tracks[track]?.entries.reversed().contains { $0.packet?.pointer.pointee.pts == timestamp } ?? false
    }

    /// Returns the entry of a track at a position, counted from the track's first entry, and the position after it. If
    /// the entry was dropped, returns the first remaining entry; nil if no such entry exists yet.
    func entry(_ track: Int, at position: Int) -> (entry: Entry, next: Int)? {
        guard let queue = tracks[track] else { return nil }
        let index = max(0, position - queue.droppedEntryCount)
        return index < queue.entries.count ? (queue.entries[index], queue.droppedEntryCount + index + 1) : nil
    }

    /// Handles a seek: ends the last event of each bitmap track at the position up to which packets were read. Text
    /// events have end times, and the renderer recognises duplicates.
    mutating func restart() {
        let end = readUntil.take()
        for (track, queue) in tracks where queue.isBitmap {
            guard let end, case .packet? = queue.entries.last else { continue }
            tracks[track]?.entries.append(.gap(after: end))
        }
    }
}
