/// Decides where a seek that need not be exact lands, from the packets read after it. A pure value; times are
/// nanoseconds on the item's timeline.
///
/// The caller passes the video and audio packets in the order in which they are read, and executes the returned steps.
struct SeekLanding: Sendable {
    enum Arrival: Sendable, Equatable {
        /// A video packet; `time` is its presentation time, nil if unknown.
        case video(time: Int64?, isKeyframe: Bool)
        case audio
    }

    enum Step: Sendable, Equatable {
        /// The landing is known: enqueue the marker `request`, then the held packets, then this packet. The search is
        /// over.
        case land(SeekRequest)
        /// Hold the packet until the landing is known.
        case hold
        /// Search for a later keyframe in the source, and pass the result to ``advanced(_:)``.
        case advance(after: Int64, upTo: Int64)
        /// The read position has changed: drop this packet and the held packets, and pass the next packets.
        case skip
        /// Land on the exact frame: seek the source to `request` again, then enqueue the marker. Drop this packet and
        /// the held packets. The search is over.
        case goBack(SeekRequest)
    }

    private(set) var request: SeekRequest
    /// Whether the search has advanced to the keyframe after the one before the sought time.
    private var hasAdvanced = false

    /// Creates the search; nil for an exact seek.
    init?(_ request: SeekRequest) {
        guard request.precision != .exact else { return nil }
        self.request = request
    }

    mutating func arrive(_ packet: Arrival) -> Step {
        guard case .video(let time, let isKeyframe) = packet else { return .hold }
        guard case .near(let window) = request.precision else {
            // A keyframe seek: playback continues at the keyframe's time.
            if let time { request.time = time }
            return .land(request)
        }
        if let time, window.contains(time), isKeyframe {
            (request.time, request.precision) = (time, .exact)
            return .land(request)
        }
        if hasAdvanced { return end(isBeforeTime: false) }
        guard let time, time < window.lowerBound, window.upperBound > request.time else {
            return end(isBeforeTime: true)
        }
        hasAdvanced = true
        return .advance(after: time, upTo: window.upperBound)
    }

    /// Handles the result of the search that `.advance` requested.
    mutating func advanced(_ outcome: KeyframeOutcome) -> Step {
        switch outcome {
        case .moved: .skip
        case .none: end(isBeforeTime: true)
        case .lost: end(isBeforeTime: false)
        }
    }

    /// Ends the search without a keyframe in the window.
    ///
    /// - Parameter isBeforeTime: Whether reading on from the current position leads to the sought frame.
    private mutating func end(isBeforeTime: Bool) -> Step {
        request.precision = .exact
        return isBeforeTime ? .land(request) : .goBack(request)
    }
}

/// The result of a search for a later keyframe.
enum KeyframeOutcome: Sendable, Equatable {
    /// The source moved to the keyframe.
    case moved
    /// There is no such keyframe; the read position is unchanged.
    case none
    /// There is no such keyframe, and the read position has changed.
    case lost
}

/// The audio packets that were read before the landing of a seek is known. They precede the first video packet in the
/// file, but belong to the same time.
struct HeldPackets: Sendable {
    /// The byte limit; beyond it, the oldest packets are dropped.
    static let byteLimit = 8 << 20

    private(set) var packets: [Packet] = []
    private var bytes = 0

    mutating func hold(_ packet: Packet) {
        packets.append(packet)
        bytes += packet.byteCount
        while bytes > Self.byteLimit, packets.count > 1 { bytes -= packets.removeFirst().byteCount }
    }

    /// Removes and returns all packets. Includes packets before the landing, which a decoder may need to start and then
    /// drops.
    mutating func take() -> [Packet] {
        defer { self = HeldPackets() }
        return packets
    }
}
