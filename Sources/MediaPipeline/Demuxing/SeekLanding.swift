/// Decides where a seek lands that need not land on the very frame, by the packets that are read after it. A pure
/// value; times are nanoseconds on the item's timeline.
///
/// The caller hands in the packets of the video and audio tracks in the order in which they are read, and does what the
/// steps say.
struct SeekLanding: Sendable {
    enum Arrival: Sendable, Equatable {
        /// A packet of the moving picture; `time` is when it is shown, nil where it does not say.
        case video(time: Int64?, isKeyframe: Bool)
        case audio
    }

    enum Step: Sendable, Equatable {
        /// The landing is known: the marker `request` comes first, then the packets that were held, then this one. The
        /// landing is over.
        case land(SeekRequest)
        /// The packet is held until the landing is known.
        case hold
        /// The source is asked for a later keyframe; ``advanced(_:)`` takes the result.
        case advance(after: Int64, upTo: Int64)
        /// Reading went elsewhere: this packet and the held ones are dropped, and the next ones are handed in.
        case skip
        /// The sought frame itself: the source seeks to `request` anew, then the marker is placed. This packet and the
        /// held ones are dropped. The landing is over.
        case goBack(SeekRequest)
    }

    private(set) var request: SeekRequest
    /// The search has gone on to the keyframe after the one before the sought time.
    private var hasAdvanced = false

    /// nil for a seek that lands on the sought frame wherever that lies.
    init?(_ request: SeekRequest) {
        guard request.precision != .exact else { return nil }
        self.request = request
    }

    mutating func arrive(_ packet: Arrival) -> Step {
        guard case .video(let time, let isKeyframe) = packet else { return .hold }
        guard case .near(let window) = request.precision else {
            // To a keyframe: the item goes on where the picture does.
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

    /// The result of the search that `.advance` asked for.
    mutating func advanced(_ outcome: KeyframeOutcome) -> Step {
        switch outcome {
        case .moved: .skip
        case .none: end(isBeforeTime: true)
        case .lost: end(isBeforeTime: false)
        }
    }

    /// No keyframe lies inside the window.
    ///
    /// - Parameter isBeforeTime: what is read leads to the sought frame.
    private mutating func end(isBeforeTime: Bool) -> Step {
        request.precision = .exact
        return isBeforeTime ? .land(request) : .goBack(request)
    }
}

/// The result of a search for a later keyframe.
enum KeyframeOutcome: Sendable, Equatable {
    /// Reading goes on with it.
    case moved
    /// There is none; reading goes on where it was.
    case none
    /// There is none, and reading is somewhere else.
    case lost
}

/// Audio packets that were read before it is known where a seek lands. They lie before the first video packet in the
/// file, and belong to the moment all the same.
struct HeldPackets: Sendable {
    /// Older packets are dropped beyond this many bytes.
    static let byteLimit = 8 << 20

    private(set) var packets: [Packet] = []
    private var bytes = 0

    mutating func hold(_ packet: Packet) {
        packets.append(packet)
        bytes += packet.byteCount
        while bytes > Self.byteLimit, packets.count > 1 { bytes -= packets.removeFirst().byteCount }
    }

    /// Hands over all packets; those before the landing are for the decoder to drop, which may need them to begin.
    mutating func take() -> [Packet] {
        defer { self = HeldPackets() }
        return packets
    }
}
