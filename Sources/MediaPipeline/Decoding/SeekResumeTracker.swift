import CFFmpeg

/// Finds, after a seek, the position that a decoder has already reached, so that no packet is decoded twice.
///
/// The demuxer returns to the keyframe before the sought time. If the decoder's position lies between that keyframe and
/// the sought time, the decoder keeps its state: it skips the packets that it has already decoded and continues after
/// the last of them. The tracker keeps the skipped packets until it has found that position. If it does not find the
/// position, the decoder restarts with the kept packets.
struct SeekResumeTracker {
    /// The decoder's action for the next packet after a seek.
    enum PacketAction {
        /// The packet is new: decode it.
        case decode
        /// The decoder has already decoded the packet: skip it.
        case skip
        /// The packet at the decoder's position was not found: flush the decoder and decode all these packets.
        case restart([Packet])
    }

    /// The identity of a packet, to recognise it when it is read again.
    private struct PacketIdentity: Equatable {
        let position: Int64, presentationTime: Int64, decodingTime: Int64, size: Int32

        /// Reads the identity; nil if the container does not state packet positions or decoding times.
        init?(_ packet: Packet) {
            let avPacket = packet.pointer.pointee
            guard avPacket.pos >= 0, avPacket.dts != cffmpeg_no_pts else { return nil }
            (position, presentationTime, decodingTime, size) = (avPacket.pos, avPacket.pts, avPacket.dts, avPacket.size)
        }
    }

    /// The maximum number of kept packets, and their maximum total size in bytes.
    private static let keptPacketLimit = (packets: 1000, bytes: 64 << 20)

    /// The packet that was decoded last, which marks the decoder's position; nil if unknown.
    private var lastDecodedPacket: PacketIdentity?
    /// The packets skipped during the search for the decoder's position.
    private var keptPackets: [Packet] = []
    /// The size of the kept packets in bytes.
    private var keptByteCount = 0
    /// Whether the search for the decoder's position is running.
    private var isSearching = false
    /// Whether all packets are skipped until the next seek.
    private var isDiscarding = false

    /// Resets the state after a flush of the decoder.
    mutating func reset() { self = SeekResumeTracker() }

    /// Skips all packets up to the next seek, because the decoder was flushed and the packets that it would need to
    /// continue were discarded.
    mutating func discardUntilSeek() {
        self = SeekResumeTracker()
        isDiscarding = true
    }

    /// Starts to search the packets after a seek for the packet that the decoder decoded last.
    ///
    /// - Returns: False, without a search, if no packet was decoded yet.
    mutating func startSearch() -> Bool {
        guard lastDecodedPacket != nil else { return false }
        (keptPackets, keptByteCount, isSearching) = ([], 0, true)
        return true
    }

    /// Returns the decoder's action for the next packet (nil: the end of the track).
    mutating func action(for packet: Packet?) -> PacketAction {
        if isDiscarding { return .skip }
        let identity = packet.flatMap(PacketIdentity.init)
        guard isSearching, let resumePacket = lastDecodedPacket else {
            lastDecodedPacket = identity
            return .decode
        }
        if let packet {
            keptPackets.append(packet)
            keptByteCount += packet.byteCount
        }
        if let identity, identity == resumePacket {
            (keptPackets, isSearching) = ([], false)
            return .skip
        }
        let isBeforeResumePacket = identity.map { $0.decodingTime <= resumePacket.decodingTime } ?? false
        if isBeforeResumePacket, keptPackets.count < Self.keptPacketLimit.packets,
            keptByteCount < Self.keptPacketLimit.bytes
        {
            return .skip
        }
        let packetsToDecode = keptPackets
        reset()
        lastDecodedPacket = identity
        return .restart(packetsToDecode)
    }
}
