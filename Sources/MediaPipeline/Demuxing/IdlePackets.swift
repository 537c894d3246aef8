import DequeModule

/// The newest packets of tracks that are not chosen, so that choosing one needs no seek. A pure data structure, bounded
/// by bytes and by the time behind the decoded position.
struct IdlePackets: Sendable {
    struct Entry: Sendable {
        let packet: Packet
        /// The decoding timestamp in nanoseconds on the container's clock.
        let time: Int64?
    }

    private struct Line {
        var entries = Deque<Entry>()
        var bytes = 0
        var hasEnded = false
    }

    /// The time in nanoseconds for which packets are kept: a little more than the largest distance of playback behind
    /// decoding.
    static let keptTime: Int64 = 3_000_000_000
    /// The byte limit per track.
    static let byteLimit = 8 << 20

    private var lines: [Int: Line] = [:]
    private var decodedTime: Int64?

    mutating func add(_ index: Int) { if lines[index] == nil { lines[index] = Line() } }
    /// Drops the kept packets of a track.
    mutating func clear(_ index: Int) { if lines[index] != nil { lines[index] = Line() } }
    mutating func remove(_ index: Int) { lines[index] = nil }
    func has(_ index: Int) -> Bool { lines[index] != nil }
    func bytes(of index: Int) -> Int { lines[index]?.bytes ?? 0 }

    mutating func push(_ packet: Packet, track: Int, time: Int64?) {
        guard var line = lines.removeValue(forKey: track) else { return }
        line.entries.append(Entry(packet: packet, time: time))
        line.bytes += packet.byteCount
        while let first = line.entries.first, line.bytes > Self.byteLimit || isStale(first) {
            line.entries.removeFirst()
            line.bytes -= first.packet.byteCount
        }
        lines[track] = line
    }

    private func isStale(_ entry: Entry) -> Bool {
        guard let decodedTime, let time = entry.time else { return false }
        return time < decodedTime - Self.keptTime
    }

    mutating func decoded(upTo time: Int64) { decodedTime = time }

    /// Removes a track and returns its packets from `time` on. Includes half a second before `time`, which a decoder
    /// may need to start.
    mutating func take(_ index: Int, from time: Int64) -> (entries: Deque<Entry>, hasEnded: Bool) {
        guard var line = lines.removeValue(forKey: index) else { return ([], false) }
        while let first = line.entries.first, let stamp = first.time, stamp < time - 500_000_000 {
            line.entries.removeFirst()
        }
        return (line.entries, line.hasEnded)
    }

    mutating func end() { for index in lines.keys { lines[index]?.hasEnded = true } }

    mutating func restart() {
        for index in lines.keys { lines[index] = Line() }
        decodedTime = nil
    }
}
