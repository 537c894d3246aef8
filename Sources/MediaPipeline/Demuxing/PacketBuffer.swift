import DequeModule

/// What was read and not yet decoded, one line a track: pure bookkeeping, shared by the demuxer and the decoders behind
/// one monitor.
package struct PacketBuffer: Sendable {
    /// When reading stops.
    package struct Limit: Sendable, Equatable {
        /// Bytes over all tracks, at which reading stops when every track has packets.
        package var bytes = 48 << 20
        /// Bytes over all tracks, at which reading stops although a track has no packets: the most that packets take.
        package var starvedBytes = 192 << 20
        /// Nanoseconds read ahead in every track.
        package var time: Int64 = 1_000_000_000
        package init() {}

        /// For addresses: a connection may give nothing for a while.
        package static let network: Limit = {
            var limit = Limit()
            (limit.bytes, limit.starvedBytes, limit.time) = (64 << 20, 64 << 20, 30_000_000_000)
            return limit
        }()
    }

    enum Item: Sendable {
        case packet(Packet)
        /// What follows was read after this seek.
        case flush(SeekRequest)
        /// What follows needs another decoder.
        case format(CodecParameters)
        /// The track has ended.
        case end
        /// For so long (nanoseconds of the container's clock) the track has nothing that could be found within the
        /// limit.
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
    /// Sound that is not chosen.
    private var idle = IdlePackets()
    private var tracks: [Int: Track] = [:]
    private(set) var bytes = 0

    mutating func addTrack(_ index: Int) { tracks[index] = Track() }
    mutating func removeTrack(_ index: Int) {
        bytes -= tracks[index]?.bytes ?? 0
        tracks[index] = nil
    }

    /// Keeps the newest packets of a track that may be chosen.
    mutating func addIdle(_ index: Int) { idle.add(index) }
    mutating func removeIdle(_ index: Int) { idle.remove(index) }

    /// A track that was idle is read from now on; what was kept of it from `time` on (nanoseconds on the container's
    /// clock) comes after `marker`.
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

    /// Should the demuxer go on reading?
    var wantsMore: Bool {
        guard bytes < limit.starvedBytes else { return false }
        let running = tracks.values.filter { !$0.hasEnded }
        if running.contains(where: { $0.items.isEmpty }) { return true }
        return bytes < limit.bytes && running.contains { $0.span < limit.time }
    }

    /// A track that is starved though reading went on to the utmost limit is told so, piece by piece as the others are
    /// played: whoever waits for it would wait for ever, and nobody would make room.
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

    /// - Parameter time: decoding time stamp in nanoseconds, for the measure of how far ahead reading is.
    mutating func push(_ packet: Packet, track: Int, time: Int64?) {
        guard var line = tracks.removeValue(forKey: track) else { return idle.push(packet, track: track, time: time) }
        // A track that was ended by itself takes nothing more.
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

    /// What follows of a track needs another decoder. What was kept of one that is not played is of no use then.
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

    /// Nothing more comes for one track: it is not waited for.
    mutating func end(track index: Int) {
        guard tracks[index]?.hasEnded == false else { return }
        tracks[index]?.items.append(.end)
        tracks[index]?.hasEnded = true
    }

    /// Throws away what was read and lets `marker` come before what is read next.
    mutating func restart(_ marker: SeekRequest?) {
        for index in tracks.keys {
            var line = Track()
            if let marker { line.items.append(.flush(marker)) }
            tracks[index] = line
        }
        bytes = 0
        idle.restart()
    }

    /// All that there is has been read.
    var hasEnded: Bool { !tracks.isEmpty && tracks.values.allSatisfy(\.hasEnded) }
    /// Nothing is left for the decoders.
    var isEmpty: Bool { tracks.values.allSatisfy(\.items.isEmpty) }
    /// Decoding time stamp in nanoseconds up to which every track has been read; nil before the first.
    var readUntil: Int64? { tracks.values.filter { !$0.hasEnded }.compactMap(\.lastTime).min() }
    /// Bytes of packets since the start.
    private(set) var bytesRead: Int64 = 0

    /// Nanoseconds read ahead in the track that has the least.
    var readAhead: Int64 { tracks.values.filter { !$0.hasEnded }.map(\.span).min() ?? 0 }
}
