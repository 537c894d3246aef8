import DequeModule

/// The newest packets of tracks that are not played. They are kept so that choosing such a track needs no seek. A pure
/// data structure, whose size is limited in bytes and by ``keptDuration``.
struct IdlePackets: Sendable {
    /// A kept packet.
    struct Entry: Sendable {
        let packet: Packet
        /// The decoding timestamp of the packet, in nanoseconds on the container's clock; nil if unknown.
        let time: Int64?
    }

    /// The kept packets of one track.
    private struct TrackQueue {
        /// The kept packets, oldest first.
        var entries = Deque<Entry>()
        /// The size of the kept packets in bytes.
        var byteCount = 0
        /// Whether the track was read to the end of the container.
        var hasEnded = false
    }

    /// The time in nanoseconds for which packets are kept: a little more than playback can lag behind decoding.
    static let keptDuration: Int64 = 3_000_000_000
    /// The maximum size of the kept packets of one track, in bytes.
    static let byteLimit = 8 << 20

    /// The kept packets by track.
    private var queues: [Int: TrackQueue] = [:]
    /// The decoding timestamp of the newest packet that a decoder has taken; nil after a seek.
    private var decodedTime: Int64?

    /// Starts to keep the packets of the track with this index.
    mutating func add(_ index: Int) { if queues[index] == nil { queues[index] = TrackQueue() } }
    /// Drops the kept packets of a track.
    mutating func clear(_ index: Int) { if queues[index] != nil { queues[index] = TrackQueue() } }
    /// Stops keeping the packets of a track.
    mutating func remove(_ index: Int) { queues[index] = nil }
    /// Returns whether the packets of a track are kept.
    func keepsPackets(of index: Int) -> Bool { queues[index] != nil }
    /// Returns the size of a track's kept packets in bytes.
    func byteCount(of index: Int) -> Int { queues[index]?.byteCount ?? 0 }

    /// Keeps a packet of a track that was added, and drops packets beyond the limits.
    mutating func push(_ packet: Packet, track: Int, time: Int64?) {
        guard var queue = queues.removeValue(forKey: track) else { return }
        queue.entries.append(Entry(packet: packet, time: time))
        queue.byteCount += packet.byteCount
        while let oldestEntry = queue.entries.first, queue.byteCount > Self.byteLimit || isStale(oldestEntry) {
            queue.entries.removeFirst()
            queue.byteCount -= oldestEntry.packet.byteCount
        }
        queues[track] = queue
    }

    /// Returns whether the packet lies further behind the decoded position than ``keptDuration``.
    private func isStale(_ entry: Entry) -> Bool {
        guard let decodedTime, let time = entry.time else { return false }
        return time < decodedTime - Self.keptDuration
    }

    /// Records the decoding timestamp of the newest packet that a decoder has taken, in nanoseconds on the container's
    /// clock.
    mutating func recordDecodedTime(_ time: Int64) { decodedTime = time }

    /// Removes a track and returns its packets from `time` on. Includes half a second before `time`, which a decoder
    /// may need to start.
    mutating func take(_ index: Int, from time: Int64) -> (entries: Deque<Entry>, hasEnded: Bool) {
        guard var queue = queues.removeValue(forKey: index) else { return ([], false) }
        while let oldestEntry = queue.entries.first, let packetTime = oldestEntry.time, packetTime < time - 500_000_000
        {
            queue.entries.removeFirst()
        }
        return (queue.entries, queue.hasEnded)
    }

    /// Records for all tracks that the container was read to its end.
    mutating func end() { for index in queues.keys { queues[index]?.hasEnded = true } }

    /// Drops all kept packets after a seek.
    mutating func restart() {
        for index in queues.keys { queues[index] = TrackQueue() }
        decodedTime = nil
    }
}
