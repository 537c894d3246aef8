import DequeModule

/// Subtitle packets as they were read, of every track, so that one that is chosen later shows what is being said: pure
/// bookkeeping.
struct SubtitleBacklog: Sendable {
    private struct Line {
        var entries = Deque<Entry>()
        var bytes = 0
        /// Packets ever dropped from the front: position of the first one.
        var dropped = 0
        let isBitmap: Bool
    }

    enum Entry: Sendable {
        case packet(Packet)
        /// What follows was read elsewhere.
        case gap(after: Int64)

        var packet: Packet? { if case .packet(let packet) = self { packet } else { nil } }
    }

    /// Of each track.
    static let byteLimit = 4 << 20
    static let countLimit = 20_000
    private var lines: [Int: Line] = [:]
    /// How far the container was read since the last seek, nanoseconds on the item's timeline.
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

    /// A line that begins at a stamp was read.
    func has(_ track: Int, at stamp: Int64) -> Bool {
        lines[track]?.entries.reversed().contains { $0.packet?.pointer.pointee.pts == stamp } ?? false
    }

    /// What is at a position, or the first there still is after it.
    func entry(_ track: Int, at position: Int) -> (entry: Entry, next: Int)? {
        guard let line = lines[track] else { return nil }
        let index = max(0, position - line.dropped)
        return index < line.entries.count ? (line.entries[index], line.dropped + index + 1) : nil
    }

    /// At a seek pictures begin anew, and what the last one says holds no longer than was read. Texts each have their
    /// end, and what is read twice is recognised by who shows it.
    mutating func restart() {
        let end = readUntil.take()
        for (track, line) in lines where line.isBitmap {
            guard let end, case .packet? = line.entries.last else { continue }
            lines[track]?.entries.append(.gap(after: end))
        }
    }
}
