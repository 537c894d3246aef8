import DequeModule

/// The subtitle packets read so far, of every track, so that a track chosen later can show the current line. A pure
/// data structure.
struct SubtitleBacklog: Sendable {
    private struct Line {
        var entries = Deque<Entry>()
        var bytes = 0
        /// The number of packets ever dropped from the front: the position of the first entry.
        var dropped = 0
        let isBitmap: Bool
    }

    enum Entry: Sendable {
        case packet(Packet)
        /// The following packets were read at another position.
        case gap(after: Int64)

        var packet: Packet? { if case .packet(let packet) = self { packet } else { nil } }
    }

    /// The byte limit per track.
    static let byteLimit = 4 << 20
    static let countLimit = 20_000
    private var lines: [Int: Line] = [:]
    /// The position up to which the container was read since the last seek, in nanoseconds on the item's timeline.
    var readUntil: Int64?

    mutating func add(_ track: Int, isBitmap: Bool) { lines[track] = Line(isBitmap: isBitmap) }
    func has(_ track: Int) -> Bool { lines[track] != nil }

    mutating func push(_ packet: Packet, track: Int) {
        guard var line = lines.removeValue(forKey: track) else { return }
        line.entries.append(.packet(packet))
        line.bytes += packet.byteCount
        while let first = line.entries.first, line.entries.count > 1,
            line.bytes > Self.byteLimit || line.entries.count > Self.countLimit
        {
            line.entries.removeFirst()
            line.bytes -= first.packet?.byteCount ?? 0
            line.dropped += 1
        }
        lines[track] = line
    }

    /// Returns whether a line with this timestamp was read.
    func has(_ track: Int, at stamp: Int64) -> Bool {
        lines[track]?.entries.reversed().contains { $0.packet?.pointer.pointee.pts == stamp } ?? false
    }

    /// Returns the entry at a position, or the first remaining entry after it.
    func entry(_ track: Int, at position: Int) -> (entry: Entry, next: Int)? {
        guard let line = lines[track] else { return nil }
        let index = max(0, position - line.dropped)
        return index < line.entries.count ? (line.entries[index], line.dropped + index + 1) : nil
    }

    /// Handles a seek: ends the last bitmap event of each track at the position read so far. Text events have end
    /// times, and the renderer recognises duplicates.
    mutating func restart() {
        let end = readUntil.take()
        for (track, line) in lines where line.isBitmap {
            guard let end, case .packet? = line.entries.last else { continue }
            lines[track]?.entries.append(.gap(after: end))
        }
    }
}
