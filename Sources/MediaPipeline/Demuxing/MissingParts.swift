/// The parts of a playlist that could not be opened or read, and the holes that they leave in the media. A pure value;
/// times are nanoseconds on the joined timeline.
///
/// libavformat skips a missing part without an error: a segment, or every segment whose key is missing. A part counts
/// as a hole only if the played video and audio tracks lack data. A part of a subtitle rendition leaves no hole, nor
/// does a part that a second request fetches.
struct MissingParts: Sendable {
    /// A missing stretch of the media.
    struct Hole: Sendable, Equatable {
        var start: Int64
        /// The end of the hole; nil if no data follows.
        var end: Int64?
        /// The error of the hole's first missing part.
        var error: MediaError
    }

    struct Failure: Sendable, Equatable {
        let address: String
        var error: MediaError
        /// The position that the tracks had reached when the part failed; nil if no packet was read before.
        var position: Int64?
    }

    private struct Line {
        /// The end of the newest packet.
        var next: Int64
        /// The longest time between the end of a packet and the start of the next.
        var longestStep: Int64 = 0
    }

    /// The parts that failed since the last hole or seek, oldest first.
    private(set) var failures: [Failure] = []
    /// The first hole since the last seek.
    private(set) var firstHole: Hole?
    /// The parts that a playlist marks as intentionally missing, with the addresses as written. They leave no hole.
    private var gaps: Set<String> = []
    /// Whether an intentionally missing part was found since the last step as long as a hole.
    private var hasMetGap = false
    private var lines: [Int: Line] = [:]
    private var position: Int64?
    private var jumps = 0

    /// The maximum number of failures kept; further failures of one stretch add no information.
    static let limit = 64
    /// The longest pause, in nanoseconds, that tracks may have without a missing part.
    static let pause: Int64 = 500_000_000
    /// The maximum time, in nanoseconds, by which a part is read ahead.
    static let readAhead: Int64 = 1_000_000_000

    mutating func expectGaps(_ new: Set<String>) { gaps.formUnion(new) }

    /// Returns whether the playlist marks the part as a gap. A playlist's addresses are relative to its own address.
    private func isGap(_ address: String) -> Bool { gaps.contains { address == $0 || address.hasSuffix("/" + $0) } }

    mutating func partFailed(_ address: String, _ error: MediaError) {
        guard !isGap(address) else { return hasMetGap = true }
        failures.removeAll { $0.address == address }
        if failures.count < Self.limit { failures.append(Failure(address: address, error: error, position: position)) }
    }

    /// Removes the failure of a part that a later request opened.
    mutating func partOpened(_ address: String) { failures.removeAll { $0.address == address } }

    /// Records a packet of a played video or audio track.
    ///
    /// - Parameter jumps: The number of timestamp jumps that the timeline has joined so far. A long hole looks like a
    ///   timestamp jump.
    /// - Returns: The hole before the packet; nil if there is none.
    mutating func read(stream: Int, at time: Int64, duration: Int64, jumps: Int) -> Hole? {
        defer { self.jumps = jumps }
        let end = time &+ max(0, duration)
        defer { position = max(position ?? end, end) }
        guard var line = lines[stream] else {
            lines[stream] = Line(next: end)
            return nil
        }
        let step = time &- line.next, start = line.next
        let isHole = jumps > self.jumps || step > max(Self.pause, 2 * line.longestStep)
        if !isHole || failures.isEmpty && !hasMetGap { line.longestStep = max(line.longestStep, step) }
        line.next = max(line.next, end)
        lines[stream] = line
        if isHole, lines.values.allSatisfy({ $0.next >= time }) { hasMetGap = false }
        guard isHole, let failure = failures.first else { return nil }
        let hole = Hole(start: start, end: time, error: failure.error)
        failures = []
        if firstHole == nil { firstHole = hole }
        return hole
    }

    /// Returns the first hole of the media after the end was reached.
    ///
    /// - Parameters:
    ///   - length: The end of the media as the playlist states it; nil if unknown.
    ///   - readsOthers: Whether other tracks than the played ones are read; the failed parts may belong to them.
    func hole(atEnd length: Int64?, readsOthers: Bool) -> Hole? {
        if let firstHole { return firstHole }
        let isShort = length.flatMap { length in position.map { $0 < length &- Self.pause } }
        guard
            let failure = failures.first(where: { failure in
                guard let position else { return true }
                // A part that failed before any packet was read is missing at the start, if the media is too short.
                guard let then = failure.position else { return isShort == true }
                // If a part is missing at the end, only the rest of the previous part is read after the failure.
                return position &- then <= Self.readAhead
            })
        else { return nil }
        if readsOthers, isShort == false { return nil }
        return Hole(start: position ?? 0, end: nil, error: failure.error)
    }

    /// Resets the state after a seek; keeps the intentional gaps.
    mutating func restart() {
        let gaps = gaps
        self = MissingParts()
        self.gaps = gaps
    }
}

extension MissingParts.Hole {
    /// Returns a warning about the hole.
    ///
    /// - Parameter origin: The container's clock at the item's start, in nanoseconds.
    func warning(origin: Int64) -> MediaError {
        func seconds(_ time: Int64) -> String {
            let tenths = max(0, (time &- origin) / 100_000_000)
            return "\(tenths / 10).\(tenths % 10)"
        }
        let place = end.map { "from \(seconds(start)) s to \(seconds($0)) s" } ?? "from \(seconds(start)) s on"
        return MediaError(error.code, "a part is missing \(place): \(error.message)")
    }
}
