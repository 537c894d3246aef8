import DequeModule

/// The packets that were read but not yet decoded, in one queue per track. A pure data structure, which one monitor
/// protects: the demuxer and the decoders share it.
package struct PacketBuffer: Sendable {
    /// The limits at which reading pauses.
    package struct Limit: Sendable, Equatable {
        /// The total number of bytes at which reading pauses if every track has packets.
        package var bytes = 48 << 20
        /// The total number of bytes at which reading pauses even if a track has no packets: the upper limit of the
        /// buffer.
        package var absoluteMaximumBytes = 192 << 20
        /// The time read ahead in every track, in nanoseconds, at which reading pauses.
        package var time: Int64 = 1_000_000_000
        package init() {}

        /// The limits below which reading continues after it has paused: a quarter of the limits or 250 ms lower. The
        /// upper limit of the buffer stays, because reading up to it waits for a track without packets.
        var refilling: Limit {
            var limit = self
            limit.bytes -= bytes / 4
            limit.time -= min(time / 4, 250_000_000)
            return limit
        }

        /// The limits for network sources, whose connection may stall for a while.
        package static let network: Limit = {
            var limit = Limit()
            (limit.bytes, limit.absoluteMaximumBytes, limit.time) = (64 << 20, 64 << 20, 30_000_000_000)
            return limit
        }()
    }

    /// An element of a track's queue.
    enum Item: Sendable {
        /// A packet to decode.
        case packet(Packet)
        /// A marker: the following items were read after this seek.
        case flush(SeekRequest)
        /// The following packets need a new decoder, with these parameters.
        case format(CodecParameters)
        /// The end of the track.
        case end
        /// The track has no data up to this time (nanoseconds on the container's clock) that can be found within the
        /// limits.
        case gap(until: Int64)
    }

    /// The queue of one track.
    private struct Track {
        /// The packets and markers that the decoder has not taken yet.
        var items = Deque<Item>()
        /// The size of the queued packets in bytes.
        var byteCount = 0
        /// The decoding timestamp, in nanoseconds, of the packet that the decoder took last; the timestamp of the first
        /// packet before the decoder takes one.
        var lastTakenTime: Int64?
        /// The decoding timestamp of the newest packet, in nanoseconds.
        var newestTime: Int64?
        /// Whether the track was read to its end.
        var hasEnded = false
        /// The end of the last reported gap, in nanoseconds on the container's clock.
        var gapEnd: Int64?
        /// The time from the packet that the decoder took last to the newest packet, in nanoseconds.
        var span: Int64 {
            guard let lastTakenTime, let newestTime else { return 0 }
            return max(0, newestTime - lastTakenTime)
        }
    }

    /// The limits at which reading pauses.
    var limit = Limit()
    /// The packets of audio tracks that are not played.
    private var idlePackets = IdlePackets()
    /// The queues of the decoded tracks.
    private var tracks: [Int: Track] = [:]
    /// The size of all queued packets of decoded tracks, in bytes.
    private(set) var byteCount = 0
    /// Whether the buffer was full and reading has not continued since.
    private var wasFull = false

    /// Starts the queue of a track that is decoded.
    mutating func addTrack(_ index: Int) { tracks[index] = Track() }
    /// Ends the queue of a track that is no longer decoded.
    mutating func removeTrack(_ index: Int) {
        byteCount -= tracks[index]?.byteCount ?? 0
        tracks[index] = nil
    }

    /// Starts to keep the newest packets of a track that may be chosen later.
    mutating func addIdleTrack(_ index: Int) { idlePackets.add(index) }
    /// Stops keeping the packets of a track that may be chosen later.
    mutating func removeIdleTrack(_ index: Int) { idlePackets.remove(index) }

    /// Starts the queue of a track that was not played until now. Its kept packets from `time` on (nanoseconds on the
    /// container's clock) follow `marker`.
    mutating func activate(_ index: Int, marker: SeekRequest, from time: Int64) {
        let (keptPackets, hasEnded) = idlePackets.take(index, from: time)
        addTrack(index)
        tracks[index]?.items.append(.flush(marker))
        for entry in keptPackets { push(entry.packet, track: index, time: entry.time) }
        if hasEnded {
            tracks[index]?.items.append(.end)
            tracks[index]?.hasEnded = true
        }
    }
    /// Returns whether a track has a queue, because it is decoded.
    func hasTrack(_ index: Int) -> Bool { tracks[index] != nil }
    /// Whether any track is decoded.
    var hasTracks: Bool { !tracks.isEmpty }

    /// Whether the demuxer should continue reading. After the buffer was full, reading continues when a part of it is
    /// free, so that the demuxer reads several packets each time that it wakes.
    var needsPackets: Bool { hasRoom(below: wasFull ? limit.refilling : limit) }
    /// Whether the demuxer has something to do after a packet was taken: to read, or to append a gap (``reportGap()``).
    var mayResumeReading: Bool { needsPackets || byteCount >= limit.absoluteMaximumBytes }

    /// Returns whether the demuxer should read up to a limit.
    private func hasRoom(below limit: Limit) -> Bool {
        guard byteCount < limit.absoluteMaximumBytes else { return false }
        let hasTimeLeft = byteCount < limit.bytes
        return tracks.values.contains { track in
            !track.hasEnded && (track.items.isEmpty || hasTimeLeft && track.span < limit.time)
        }
    }

    /// Appends a gap to a track without queued packets when the buffer is full. The gap grows as the other tracks
    /// are played. Without the gap, the track's consumer would wait forever, and the buffer would never drain.
    ///
    /// - Returns: Whether a gap was appended.
    mutating func reportGap() -> Bool {
        guard byteCount >= limit.absoluteMaximumBytes,
            let track = tracks.first(where: { !$0.value.hasEnded && $0.value.items.isEmpty })?.key,
            let earliestTime = tracks.values.compactMap({ $0.items.isEmpty ? nil : $0.lastTakenTime }).min()
        else { return false }
        let end = earliestTime.boundedTime + limit.time / 2
        guard tracks[track]?.gapEnd.map({ $0 < end }) != false else { return false }
        tracks[track]?.gapEnd = end
        tracks[track]?.items.append(.gap(until: end))
        return true
    }

    /// Appends a packet to the queue of its track.
    ///
    /// - Parameter time: The decoding timestamp in nanoseconds, which measures how far reading is ahead.
    mutating func push(_ packet: Packet, track: Int, time: Int64?) {
        guard var queue = tracks.removeValue(forKey: track) else {
            return idlePackets.push(packet, track: track, time: time)
        }
        // A track that was ended accepts no more packets.
        guard !queue.hasEnded else {
            tracks[track] = queue
            return
        }
        queue.items.append(.packet(packet))
        queue.byteCount += packet.byteCount
        byteCount += packet.byteCount
        bytesRead &+= Int64(packet.byteCount)
        if let time {
            if queue.lastTakenTime == nil { queue.lastTakenTime = time }
            queue.newestTime = time
        }
        tracks[track] = queue
        if !hasRoom(below: limit) { wasFull = true }
    }

    /// Appends a format change to a track. If the track is not played, drops its kept packets instead, because a
    /// decoder for the new format cannot use them.
    mutating func changeFormat(of track: Int, to parameters: CodecParameters) {
        guard let queue = tracks[track] else { return idlePackets.clear(track) }
        if !queue.hasEnded { tracks[track]?.items.append(.format(parameters)) }
    }

    /// Removes and returns the next item of a track; nil if there is none.
    ///
    /// - Parameter timeOf: Returns a packet's decoding timestamp in nanoseconds on the container's clock.
    mutating func pop(track: Int, timeOf: (Packet) -> Int64?) -> Item? {
        guard let item = tracks[track]?.items.popFirst() else { return nil }
        if case .packet(let packet) = item {
            tracks[track]?.byteCount -= packet.byteCount
            byteCount -= packet.byteCount
            if let time = timeOf(packet) {
                tracks[track]?.lastTakenTime = time
                idlePackets.recordDecodedTime(time)
            }
        }
        if wasFull, needsPackets { wasFull = false }
        return item
    }

    /// Removes a track's packets whose decoding time is `time` (nanoseconds) or later, with the format changes between
    /// them. Seek markers, and the packets before the last seek marker, stay.
    ///
    /// - Parameter timeOf: Returns a packet's decoding timestamp in nanoseconds.
    mutating func removeLast(of track: Int, from time: Int64, timeOf: (Packet) -> Int64?) {
        guard tracks[track]?.hasEnded == false, var queue = tracks.removeValue(forKey: track) else { return }
        defer { tracks[track] = queue }
        removing: while let item = queue.items.last {
            switch item {
            case .packet(let packet):
                if let packetTime = timeOf(packet), packetTime < time { break removing }
                queue.byteCount -= packet.byteCount
                byteCount -= packet.byteCount
            case .format: break
            case .flush, .end, .gap: break removing
            }
            queue.items.removeLast()
        }
        if let newestTime = queue.newestTime { queue.newestTime = min(newestTime, time) }
    }

    /// Appends the end item to all tracks, after the container was read to its end.
    mutating func end() {
        for index in tracks.keys { end(track: index) }
        idlePackets.end()
    }

    /// Ends one track, so that reading does not wait until the track has packets.
    mutating func end(track index: Int) {
        guard tracks[index]?.hasEnded == false else { return }
        tracks[index]?.items.append(.end)
        tracks[index]?.hasEnded = true
    }

    /// Discards all packets, but not changes of formats, and enqueues `marker` before the next packets.
    mutating func restart(_ marker: SeekRequest?) {
        for (index, oldQueue) in tracks {
            var queue = Track()
            // A format change that the decoder has not taken yet also applies to the packets after the seek.
            if let format = oldQueue.items.last(where: { if case .format = $0 { true } else { false } }) {
                queue.items.append(format)
            }
            if let marker { queue.items.append(.flush(marker)) }
            tracks[index] = queue
        }
        (byteCount, wasFull) = (0, false)
        idlePackets.restart()
    }

    /// Whether all tracks have been read to the end.
    var hasEnded: Bool { !tracks.isEmpty && tracks.values.allSatisfy(\.hasEnded) }
    /// Whether no items are left for the decoders.
    var isEmpty: Bool { tracks.values.allSatisfy(\.items.isEmpty) }
    /// The decoding timestamp in nanoseconds up to which every track has been read; nil before the first packet and
    /// at the end of all tracks.
    var readUntil: Int64? { tracks.values.filter { !$0.hasEnded }.compactMap(\.newestTime).min() }
    /// The decoding timestamp in nanoseconds up to which every decoder has taken packets; nil before the first packet.
    /// After the end of the media, the timestamp of the last packet.
    var playhead: Int64? {
        let unfinishedTracks = tracks.values.filter { !$0.hasEnded || !$0.items.isEmpty }
        return unfinishedTracks.isEmpty
            ? tracks.values.compactMap(\.lastTakenTime).max() : unfinishedTracks.compactMap(\.lastTakenTime).min()
    }
    /// The number of packet bytes read since the start.
    private(set) var bytesRead: Int64 = 0

    /// The time read ahead in the track that is least ahead, in nanoseconds.
    var readAhead: Int64 { tracks.values.filter { !$0.hasEnded }.map(\.span).min() ?? 0 }
}
