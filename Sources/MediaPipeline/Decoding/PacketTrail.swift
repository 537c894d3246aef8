import CFFmpeg

/// Finds, after a seek, the position that a decoder has already reached, so that no packet is decoded twice.
///
/// The demuxer returns to the keyframe before the sought time. If the decoder's position lies between that keyframe and
/// the sought time, the decoder keeps its state. It skips the packets that it has already decoded and continues after
/// the last of them. The skipped packets are kept until that position is found. If it is not found, the decoder
/// restarts with the kept packets.
struct PacketTrail {
    enum Step {
        /// The packet is new: decode it.
        case decode
        /// The decoder has already decoded the packet: skip it.
        case passOver
        /// The position was not found: flush the decoder and decode all these packets.
        case startOver([Packet])
    }

    /// The identity of a packet, to recognise it when it is read again.
    private struct Mark: Equatable {
        let position: Int64, presentation: Int64, decoding: Int64, size: Int32

        /// Creates a mark; nil if the container does not state packet positions or decoding times.
        init?(_ packet: Packet) {
            let p = packet.pointer.pointee
            guard p.pos >= 0, p.dts != cffmpeg_no_pts else { return nil }
            (position, presentation, decoding, size) = (p.pos, p.pts, p.dts, p.size)
        }
    }

    /// The limits of the kept packets: their number and bytes.
    private static let limit = (packets: 1000, bytes: 64 << 20)

    private var last: Mark?
    private var kept: [Packet] = []
    private var bytes = 0
    private var isLooking = false
    private var hasLeft = false

    /// Resets the state after a flush of the decoder.
    mutating func forget() { self = PacketTrail() }

    /// Discards all packets up to the next seek, after a flush without the packets that the decoder needs to continue.
    mutating func leave() {
        self = PacketTrail()
        hasLeft = true
    }

    /// Starts to search for the decoder's position after a seek.
    ///
    /// - Returns: false if the position is unknown.
    mutating func look() -> Bool {
        guard last != nil else { return false }
        (kept, bytes, isLooking) = ([], 0, true)
        return true
    }

    /// Evaluates the next packet (nil: the end).
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
