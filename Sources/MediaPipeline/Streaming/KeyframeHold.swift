import DequeModule

/// Holds back the items that are read after a seek until the last keyframe at or before the sought picture is known;
/// decoding starts there. Drops the video packets before that keyframe, because a segment may contain several
/// keyframes. A pure data structure.
struct KeyframeHold: Sendable {
    private let target: Int64
    private let track: Int
    private var heldItems: Deque<PacketSourceItem> = []
    private var byteCount = 0

    /// The total size of packets, in bytes, at which all held items are delivered.
    private static let byteLimit = 32 << 20

    /// Creates an empty hold for a seek.
    ///
    /// - Parameters:
    ///   - target: The sought time on the item's timeline, in nanoseconds.
    ///   - track: The video track.
    init(target: Int64, track: Int) { (self.target, self.track) = (target, track) }

    /// Adds an item that was read after the seek.
    ///
    /// - Returns: Whether all held items can be delivered.
    mutating func add(_ item: PacketSourceItem) -> Bool {
        guard case .packet(let packet) = item else {
            heldItems.append(item)
            return false
        }
        let time = packet.pointer.pointee.pts
        if packet.track == track, packet.isKeyframe, time <= target {
            // Keep audio packets and format changes: they may belong to later times than the dropped video packets.
            heldItems.removeAll { item in
                guard case .packet(let heldPacket) = item, heldPacket.track == track else { return false }
                byteCount -= heldPacket.byteCount
                return true
            }
        }
        heldItems.append(item)
        byteCount += packet.byteCount
        return packet.track == track && packet.pointer.pointee.dts > target || byteCount > Self.byteLimit
    }

    /// Removes and returns the held items.
    mutating func take() -> Deque<PacketSourceItem> {
        defer { heldItems = [] }
        return heldItems
    }
}
