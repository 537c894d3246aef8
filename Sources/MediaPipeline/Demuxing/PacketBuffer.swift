import DequeModule

/// The packets that were read but not yet decoded, in one queue per track. A pure data structure, shared by the demuxer
/// and the decoders behind one monitor.
package struct PacketBuffer: Sendable {
    /// The limits at which reading pauses.
    package struct Limit: Sendable, Equatable {
        /// The total number of bytes at which reading pauses if every track has packets.
        package var bytes = 48 << 20
        /// The total number of bytes at which reading pauses even if a track has no packets: the upper limit of the
        /// buffer.
        package var starvedBytes = 192 << 20
        /// The time read ahead in every track, in nanoseconds.
        package var time: Int64 = 1_000_000_000
        package init() {}

        /// The limits for network sources, whose connection may stall for a while.
        package static let network: Limit = {
            var limit = Limit()
            (limit.bytes, limit.starvedBytes, limit.time) = (64 << 20, 64 << 20, 30_000_000_000)
            return limit
        }()
    }

    enum Item: Sendable {
        case packet(Packet)
        /// A marker: the following items were read after this seek.
        case flush(SeekRequest)
        /// The following packets need a new decoder with these parameters.
        case format(CodecParameters)
        /// The end of the track.
        case end
        /// The track has no data up to this time (nanoseconds on the container's clock) that can be found within the
        /// limits.
        case gap(until: Int64)
    }

    private struct Track {
        var items = Deque<Item>()
        var bytes = 0
        var firstTime: Int64?
        var lastTime: Int64?
        var hasEnded = false
        var gapEnd: Int64?
        var span: Int64 {
            guard let firstTime, let lastTime else { return 0 }
            return max(0, lastTime - firstTime)
        }
    }

    var limit = Limit()
    /// The packets of audio tracks that are not chosen.
    private var idle = IdlePackets()
    private var tracks: [Int: Track] = [:]
    private(set) var bytes = 0

    mutating func addTrack(_ index: Int) { tracks[index] = Track() }
    mutating func removeTrack(_ index: Int) {
        bytes -= tracks[index]?.bytes ?? 0
        tracks[index] = nil
    }

    /// Starts to keep the newest packets of a track that may be chosen later.
    mutating func addIdle(_ index: Int) { idle.add(index) }
    mutating func removeIdle(_ index: Int) { idle.remove(index) }

    /// Activates an idle track. Its kept packets from `time` on (nanoseconds on the container's clock) follow `marker`.
    mutating func activate(_ index: Int, marker: SeekRequest, from time: Int64) {
        let (kept, hasEnded) = idle.take(index, from: time)
        addTrack(index)
        tracks[index]?.items.append(.flush(marker))
        for entry in kept { push(entry.packet, track: index, time: entry.time) }
        if hasEnded {
            tracks[index]?.items.append(.end)
            tracks[index]?.hasEnded = true
        }
    }
    func hasTrack(_ index: Int) -> Bool { tracks[index] != nil }
    var hasTracks: Bool { !tracks.isEmpty }

    /// Whether the demuxer should continue reading.
    var wantsMore: Bool {
        guard bytes < limit.starvedBytes else { return false }
        let running = tracks.values.filter { !$0.hasEnded }
        if running.contains(where: { $0.items.isEmpty }) { return true }
        return bytes < limit.bytes && running.contains { $0.span < limit.time }
    }

    /// Appends a gap to a starved track when the buffer has reached its upper limit. The gap grows as the other tracks
    /// are played. Otherwise the track's consumer would wait forever, and the buffer would never drain.
    mutating func tellOfGap() -> Bool {
        guard bytes >= limit.starvedBytes,
            let track = tracks.first(where: { !$0.value.hasEnded && $0.value.items.isEmpty })?.key,
            let first = tracks.values.compactMap({ $0.items.isEmpty ? nil : $0.firstTime }).min()
        else { return false }
        let end = first.boundedTime + limit.time / 2
        guard tracks[track]?.gapEnd.map({ $0 < end }) != false else { return false }
        tracks[track]?.gapEnd = end
        tracks[track]?.items.append(.gap(until: end))
        return true
    }

    /// Appends a packet.
    ///
    /// - Parameter time: The decoding timestamp in nanoseconds, which measures how far reading is ahead.
    mutating func push(_ packet: Packet, track: Int, time: Int64?) {
        guard var line = tracks.removeValue(forKey: track) else { return idle.push(packet, track: track, time: time) }
        // A track that was ended accepts no more packets.
        guard !line.hasEnded else {
            tracks[track] = line
            return
        }
        line.items.append(.packet(packet))
        line.bytes += packet.byteCount
        bytes += packet.byteCount
        bytesRead &+= Int64(packet.byteCount)
        if let time {
            if line.firstTime == nil { line.firstTime = time }
            line.lastTime = time
        }
        tracks[track] = line
    }

    /// Appends a format change to a track. Drops the kept packets of a track that is not played, because they are
    /// useless with the new format.
    mutating func changeFormat(of track: Int, to parameters: CodecParameters) {
        guard let line = tracks[track] else { return idle.clear(track) }
        if !line.hasEnded { tracks[track]?.items.append(.format(parameters)) }
    }

    mutating func pop(track: Int, timeOf: (Packet) -> Int64?) -> Item? {
        guard let item = tracks[track]?.items.popFirst() else { return nil }
        if case .packet(let packet) = item {
            tracks[track]?.bytes -= packet.byteCount
            bytes -= packet.byteCount
            if let time = timeOf(packet) {
                tracks[track]?.firstTime = time
                idle.decoded(upTo: time)
            }
        }
        return item
    }

    /// Marks the end of all tracks.
    mutating func end() {
        for index in tracks.keys { end(track: index) }
        idle.end()
    }

    /// Ends one track, so that reading does not wait for it.
    mutating func end(track index: Int) {
        guard tracks[index]?.hasEnded == false else { return }
        tracks[index]?.items.append(.end)
        tracks[index]?.hasEnded = true
    }

    /// Discards all packets, and enqueues `marker` before the next packets.
    mutating func restart(_ marker: SeekRequest?) {
        for index in tracks.keys {
            var line = Track()
            if let marker { line.items.append(.flush(marker)) }
            tracks[index] = line
        }
        bytes = 0
        idle.restart()
    }

    /// Whether all tracks have been read to the end.
    var hasEnded: Bool { !tracks.isEmpty && tracks.values.allSatisfy(\.hasEnded) }
    /// Whether no items are left for the decoders.
    var isEmpty: Bool { tracks.values.allSatisfy(\.items.isEmpty) }
    /// The decoding timestamp in nanoseconds up to which every track has been read; nil before the first packet.
    var readUntil: Int64? { tracks.values.filter { !$0.hasEnded }.compactMap(\.lastTime).min() }
    /// The number of packet bytes read since the start.
    private(set) var bytesRead: Int64 = 0

    /// The time read ahead in the track that has the least, in nanoseconds.
    var readAhead: Int64 { tracks.values.filter { !$0.hasEnded }.map(\.span).min() ?? 0 }
}
