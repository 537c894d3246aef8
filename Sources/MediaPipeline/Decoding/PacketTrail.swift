import CFFmpeg

/// Finds, after a seek, the place up to which a decoder has come already, so that nothing is decoded twice.
///
/// The demuxer goes back to the keyframe before the moment sought. Where the decoder is between the two, it need not go
/// back: the packets that it has had are passed over, and it goes on from the one after its last. They are kept until
/// that is met; where it is not met, the decoder starts over with them.
struct PacketTrail {
    enum Step {
        /// It is new to the decoder.
        case decode
        /// The decoder has had it.
        case passOver
        /// The place is not on this way: the decoder must be flushed and take all of these.
        case startOver([Packet])
    }

    /// What a packet is known by when it is read again.
    private struct Mark: Equatable {
        let position: Int64, presentation: Int64, decoding: Int64, size: Int32

        /// nil: the container does not tell where its packets lie.
        init?(_ packet: Packet) {
            let p = packet.pointer.pointee
            guard p.pos >= 0, p.dts != cffmpeg_no_pts else { return nil }
            (position, presentation, decoding, size) = (p.pos, p.pts, p.dts, p.size)
        }
    }

    /// More is not kept than that: packets, and bytes of them.
    private static let limit = (packets: 1000, bytes: 64 << 20)

    private var last: Mark?
    private var kept: [Packet] = []
    private var bytes = 0
    private var isLooking = false
    private var hasLeft = false

    /// The decoder was flushed: it is nowhere.
    mutating func forget() { self = PacketTrail() }

    /// The decoder was flushed and what it needs to go on was not given to it: nothing that comes before the next seek
    /// is for it.
    mutating func leave() {
        self = PacketTrail()
        hasLeft = true
    }

    /// What comes next was read after a seek.
    ///
    /// - Returns: false when there is nothing to look for.
    mutating func look() -> Bool {
        guard last != nil else { return false }
        (kept, bytes, isLooking) = ([], 0, true)
        return true
    }

    /// Takes note of the next packet (nil: the end).
    mutating func step(_ packet: Packet?) -> Step {
        if hasLeft { return .passOver }
        let mark = packet.flatMap(Mark.init)
        guard isLooking, let goal = last else {
            last = mark
            return .decode
        }
        if let packet {
            kept.append(packet)
            bytes += packet.byteCount
        }
        if let mark, mark == goal {
            (kept, isLooking) = ([], false)
            return .passOver
        }
        let isOnTheWay = mark.map { $0.decoding <= goal.decoding } ?? false
        if isOnTheWay, kept.count < Self.limit.packets, bytes < Self.limit.bytes { return .passOver }
        let all = kept
        forget()
        last = mark
        return .startOver(all)
    }
}
