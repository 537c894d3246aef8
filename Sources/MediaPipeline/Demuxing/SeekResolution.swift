/// Determines the frame at which playback continues after an inexact seek, from the packets read after the seek. A pure
/// value; times are nanoseconds on the item's timeline.
///
/// The caller passes the video and audio packets in the order in which they are read, and executes the returned steps.
struct SeekResolution: Sendable {
    /// A packet that was read after the seek.
    enum ReadPacket: Sendable, Equatable {
        /// A video packet; `time` is its presentation time, nil if unknown.
        case video(time: Int64?, isKeyframe: Bool)
        /// An audio packet.
        case audio
    }

    /// The caller's action for a packet that was read after the seek.
    enum CallerAction: Sendable, Equatable {
        /// The seek's target is known: enqueue the marker `request`, then the held packets, then this packet. The
        /// search ends.
        case resolved(SeekRequest)
        /// Hold the packet until the seek's target is known.
        case hold
        /// Search for a later keyframe in the source, and pass the result to ``handleMoveResult(_:)``.
        case advance(after: Int64, upTo: Int64)
        /// The read position has changed: drop this packet and the held packets, and pass the next packets to
        /// ``handle(_:)``.
        case skip
        /// Continue at the exact frame: seek the source to `request` again, and enqueue the marker. Drop this packet
        /// and the held packets. The search ends.
        case seekExactly(SeekRequest)
    }

    /// The seek, whose time and precision change when the target is known.
    private(set) var request: SeekRequest
    /// Whether the search has already advanced from the keyframe before the sought time to the next keyframe.
    private var hasAdvanced = false

    /// Creates the search; nil for an exact seek.
    init?(_ request: SeekRequest) {
        guard request.precision != .exact else { return nil }
        self.request = request
    }

    /// Handles the next packet read after the seek, and returns the caller's action for it.
    mutating func handle(_ packet: ReadPacket) -> CallerAction {
        guard case .video(let time, let isKeyframe) = packet else { return .hold }
        guard case .near(let window) = request.precision else {
            // A keyframe seek: playback continues at the keyframe's time.
            if let time { request.time = time }
            return .resolved(request)
        }
        if let time, window.contains(time), isKeyframe {
            (request.time, request.precision) = (time, .exact)
            return .resolved(request)
        }
        if hasAdvanced { return useExactFrame(isFrameAhead: false) }
        guard let time, time < window.lowerBound, window.upperBound > request.time else {
            return useExactFrame(isFrameAhead: true)
        }
        hasAdvanced = true
        return .advance(after: time, upTo: window.upperBound)
    }

    /// Handles the result of the keyframe search that `.advance` requested, and returns the caller's next action.
    mutating func handleMoveResult(_ result: KeyframeMoveResult) -> CallerAction {
        switch result {
        case .moved: .skip
        case .notFound: useExactFrame(isFrameAhead: true)
        case .positionLost: useExactFrame(isFrameAhead: false)
        }
    }

    /// Ends the search because the seek's window contains no keyframe; the target is the exact frame.
    ///
    /// - Parameter isFrameAhead: Whether reading on from the current position leads to the sought frame.
    private mutating func useExactFrame(isFrameAhead: Bool) -> CallerAction {
        request.precision = .exact
        return isFrameAhead ? .resolved(request) : .seekExactly(request)
    }
}

/// The result of a search for a later keyframe.
enum KeyframeMoveResult: Sendable, Equatable {
    /// The source moved to the keyframe.
    case moved
    /// The searched range contains no later keyframe; the read position is unchanged.
    case notFound
    /// The searched range contains no later keyframe, and the read position has changed.
    case positionLost
}

/// The audio packets that are read before the target of a seek is known. These packets precede the first video packet
/// in the file, but belong to the same time.
struct HeldPackets: Sendable {
    /// The maximum size of the held packets in bytes; beyond it, the oldest packets are dropped.
    static let byteLimit = 8 << 20

    /// The held packets, oldest first.
    private(set) var packets: [Packet] = []
    /// The size of the held packets in bytes.
    private var byteCount = 0

    /// Keeps a packet, and drops the oldest packets beyond ``byteLimit``.
    mutating func hold(_ packet: Packet) {
        packets.append(packet)
        byteCount += packet.byteCount
        while byteCount > Self.byteLimit, packets.count > 1 { byteCount -= packets.removeFirst().byteCount }
    }

    /// Removes and returns all packets, including packets before the seek's target: a decoder may need the earlier
    /// packets to start, and then drops their output.
    mutating func take() -> [Packet] {
        defer { self = HeldPackets() }
        return packets
    }
}
