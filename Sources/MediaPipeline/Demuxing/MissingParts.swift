/// The parts of a playlist that could not be opened or read, and the gaps that they leave in the media. A pure value;
/// times are nanoseconds on the container's continuous timeline.
///
/// libavformat skips a missing part without an error: a segment, or every segment whose key is missing. A part counts
/// as a gap only if the played video and audio tracks lack data. A part of a subtitle rendition leaves no gap, nor
/// does a part that a second request fetches.
struct MissingParts: Sendable {
    /// A part of the media for which no data was read.
    struct Gap: Sendable, Equatable {
        /// The time at which the data before the gap ends.
        var start: Int64
        /// The time at which the gap ends; nil if no data follows.
        var end: Int64?
        /// The error of the gap's first missing part.
        var error: MediaError
    }

    /// A part that could not be opened or read.
    struct Failure: Sendable, Equatable {
        /// The address that libavformat requested.
        let address: String
        var error: MediaError
        /// The position that the tracks had reached when the part failed; nil if no packet was read before.
        var position: Int64?
    }

    /// The times of one track's packets since the last seek.
    private struct TrackTimes {
        /// The time at which the newest packet of the track ends.
        var newestPacketEnd: Int64
        /// The longest time between the end of a packet of the track and the start of the next, in nanoseconds.
        var longestSpacing: Int64 = 0
    }

    /// The parts that failed since the last gap or seek, oldest first.
    private(set) var failures: [Failure] = []
    /// The first gap since the last seek.
    private(set) var firstGap: Gap?
    /// The addresses, as the playlist writes them, of the parts that it marks as intentionally missing. Such parts are
    /// not reported as gaps.
    private var intentionalGaps: Set<String> = []
    /// Whether an intentionally missing part was requested since the last gap between packets.
    private var hasIntentionalGap = false
    /// The packet times of each played track.
    private var trackTimes: [Int: TrackTimes] = [:]
    /// The time at which the newest packet of any track ends; nil before the first packet.
    private var position: Int64?
    /// The number of timestamp jumps up to the packet that was read last.
    private var lastJumpCount = 0

    /// The maximum number of failures that are kept; more failures within one gap add no information.
    static let limit = 64
    /// The longest pause between two packets, in nanoseconds, that does not count as a gap in the media.
    static let longestPause: Int64 = 500_000_000
    /// The maximum time, in nanoseconds, by which libavformat requests a part before it returns the part's packets.
    static let longestReadAhead: Int64 = 1_000_000_000

    /// Adds parts that the playlist marks as intentionally missing (`EXT-X-GAP`).
    mutating func addIntentionalGaps(_ addresses: Set<String>) { intentionalGaps.formUnion(addresses) }

    /// Returns whether the playlist marks a part as intentionally missing. Addresses in a playlist may be relative, so
    /// an address that ends with a marked address matches.
    private func isIntentionalGap(_ address: String) -> Bool {
        intentionalGaps.contains { address == $0 || address.hasSuffix("/" + $0) }
    }

    /// Records a part that could not be opened or read, unless it is intentionally missing.
    mutating func recordFailedPart(_ address: String, _ error: MediaError) {
        guard !isIntentionalGap(address) else { return hasIntentionalGap = true }
        failures.removeAll { $0.address == address }
        if failures.count < Self.limit { failures.append(Failure(address: address, error: error, position: position)) }
    }

    /// Removes the failure of a part that a later request opened.
    mutating func recordOpenedPart(_ address: String) { failures.removeAll { $0.address == address } }

    /// Records a packet of a played video or audio track.
    ///
    /// - Parameter jumpCount: The number of timestamp jumps so far. A long gap looks like a timestamp jump.
    /// - Returns: The gap before the packet; nil if there is none.
    mutating func recordPacket(stream: Int, at time: Int64, duration: Int64, jumpCount: Int) -> Gap? {
        defer { lastJumpCount = jumpCount }
        let end = time &+ max(0, duration)
        defer { position = max(position ?? end, end) }
        guard var times = trackTimes[stream] else {
            trackTimes[stream] = TrackTimes(newestPacketEnd: end)
            return nil
        }
        let pause = time &- times.newestPacketEnd, start = times.newestPacketEnd
        let isGap = jumpCount > lastJumpCount || pause > max(Self.longestPause, 2 * times.longestSpacing)
        if !isGap || failures.isEmpty && !hasIntentionalGap { times.longestSpacing = max(times.longestSpacing, pause) }
        times.newestPacketEnd = max(times.newestPacketEnd, end)
        trackTimes[stream] = times
        if isGap, trackTimes.values.allSatisfy({ $0.newestPacketEnd >= time }) { hasIntentionalGap = false }
        guard isGap, let failure = failures.first else { return nil }
        let gap = Gap(start: start, end: time, error: failure.error)
        failures = []
        if firstGap == nil { firstGap = gap }
        return gap
    }

    /// Returns the first gap of the media, for use when the end of the media was reached; nil if there is none.
    ///
    /// - Parameters:
    ///   - length: The end of the media as the playlist states it; nil if unknown.
    ///   - readsOtherTracks: Whether other tracks than the played ones are read; the failed parts may belong to them.
    func gap(atEnd length: Int64?, readsOtherTracks: Bool) -> Gap? {
        if let firstGap { return firstGap }
        let endsEarly = length.flatMap { length in position.map { $0 < length &- Self.longestPause } }
        guard
            let failure = failures.first(where: { failure in
                guard let position else { return true }
                // A part that failed before any packet was read leaves a gap at the start only if the media is shorter
                // than stated.
                guard let failurePosition = failure.position else { return endsEarly == true }
                // If a part is missing at the end, only the rest of the previous part is read after the failure.
                return position &- failurePosition <= Self.longestReadAhead
            })
        else { return nil }
        if readsOtherTracks, endsEarly == false { return nil }
        return Gap(start: position ?? 0, end: nil, error: failure.error)
    }

    /// Resets the state after a seek; keeps the intentionally missing parts.
    mutating func restart() {
        let intentionalGaps = intentionalGaps
        self = MissingParts()
        self.intentionalGaps = intentionalGaps
    }
}

extension MissingParts.Gap {
    /// Returns a warning about the gap.
    ///
    /// - Parameter origin: The time on the container's clock at which the item starts, in nanoseconds.
    func warning(origin: Int64) -> MediaError {
        func seconds(_ time: Int64) -> String {
            let tenths = max(0, (time &- origin) / 100_000_000)
            return "\(tenths / 10).\(tenths % 10)"
        }
        let rangeText = end.map { "from \(seconds(start)) s to \(seconds($0)) s" } ?? "from \(seconds(start)) s on"
        return MediaError(error.code, "a part is missing \(rangeText): \(error.message)")
    }
}
