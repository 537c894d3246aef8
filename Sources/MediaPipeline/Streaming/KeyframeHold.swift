import DequeModule

/// The items after a seek until the keyframe is known from which the sought picture can be decoded: the last keyframe
/// at or before it. A segment may have several, and all packets before that keyframe are not needed. A pure structure.
struct KeyframeHold: Sendable {
    private let target: Int64
    private let track: Int
    private var held: Deque<PacketSourceItem> = []
    private var byteCount = 0

    /// The largest size of held packets, in bytes.
    private static let byteLimit = 32 << 20

    /// - Parameters:
    ///   - target: The sought time on the item's timeline, in nanoseconds.
    ///   - track: The video track.
    init(target: Int64, track: Int) { (self.target, self.track) = (target, track) }

    /// Adds an item that was read.
    ///
    /// - Returns: Whether all held items can be delivered.
    mutating func add(_ item: PacketSourceItem) -> Bool {
        guard case .packet(let packet) = item else {
            held.append(item)
            return false
        }
        let time = packet.pointer.pointee.pts
        if packet.track == track, packet.isKeyframe, time <= target {
            // Sound and changes of formats are kept: their times may be later.
            held.removeAll { if case .packet(let old) = $0 { old.track == track } else { false } }
        }
        held.append(item)
        byteCount += packet.byteCount
        return packet.track == track && packet.pointer.pointee.dts > target || byteCount > Self.byteLimit
    }

    /// Removes and returns the held items.
    mutating func take() -> Deque<PacketSourceItem> {
        defer { held = [] }
        return held
    }
}
