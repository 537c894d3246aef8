import DequeModule

/// Subtitle packets as they were read, of every track, so that one that is chosen later shows what is being said: pure bookkeeping.
struct SubtitleBacklog: Sendable {
    private struct Line {
        var packets = Deque<Packet>()
        var bytes = 0
        /// Packets ever dropped from the front: position of the first one.
        var dropped = 0
        /// Seeks that this line has seen: pictures depend on the ones before.
        var restarts = 0
        let isBitmap: Bool
    }

    /// Of each track.
    static let byteLimit = 4 << 20
    static let countLimit = 20_000
    private var lines: [Int: Line] = [:]

    mutating func add(_ track: Int, isBitmap: Bool) { lines[track] = Line(isBitmap: isBitmap) }
    func has(_ track: Int) -> Bool { lines[track] != nil }

    mutating func push(_ packet: Packet, track: Int) {
        guard var line = lines.removeValue(forKey: track) else { return }
        line.packets.append(packet)
        line.bytes += packet.byteCount
        while let first = line.packets.first, line.packets.count > 1, line.bytes > Self.byteLimit || line.packets.count > Self.countLimit {
            line.packets.removeFirst()
            line.bytes -= first.byteCount
            line.dropped += 1
        }
        lines[track] = line
    }

    /// The packet at a position, or the first one there still is after it.
    func packet(_ track: Int, at position: Int) -> (packet: Packet, next: Int, restarts: Int)? {
        guard let line = lines[track] else { return nil }
        let index = max(0, position - line.dropped)
        return index < line.packets.count ? (line.packets[index], line.dropped + index + 1, line.restarts) : nil
    }

    /// After a seek pictures begin anew; texts that were read stay, and what is read twice is recognised by who shows it.
    mutating func restart() {
        for (track, line) in lines where line.isBitmap {
            var line = line
            line.dropped += line.packets.count
            (line.packets, line.bytes) = ([], 0)
            line.restarts += 1
            lines[track] = line
        }
    }
}
