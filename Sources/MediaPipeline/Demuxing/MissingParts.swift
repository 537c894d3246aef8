/// The parts of a playlist that could not be opened or read, and the holes that they leave in the film. A pure value;
/// times are nanoseconds on the joined timeline.
///
/// libavformat skips such a part and reports no error: a segment, or every segment whose key is missing. A part counts
/// as a hole only where the played video and audio tracks lack something: a part of a subtitle rendition leaves no
/// hole, nor does a part that a second request could fetch.
struct MissingParts: Sendable {
    /// A stretch of the film that is missing.
    struct Hole: Sendable, Equatable {
        var start: Int64
        /// nil: nothing comes after the hole.
        var end: Int64?
        /// Why the first part of it is missing.
        var error: MediaError
    }

    struct Failure: Sendable, Equatable {
        let address: String
        var error: MediaError
        /// How far the tracks had been read when the part failed; nil: nothing was read before.
        var position: Int64?
    }

    private struct Line {
        /// The end of the newest packet.
        var next: Int64
        /// The longest time from one packet's end to the next one's begin.
        var longestStep: Int64 = 0
    }

    /// The parts that failed since the last hole or seek, oldest first.
    private(set) var failures: [Failure] = []
    /// The first hole since the last seek.
    private(set) var firstHole: Hole?
    /// The parts that a playlist marks as missing on purpose, as the playlist writes them: they leave no hole.
    private var gaps: Set<String> = []
    /// Such a part was met since the last step that is as long as a hole.
    private var hasMetGap = false
    private var lines: [Int: Line] = [:]
    private var position: Int64?
    private var jumps = 0

    /// Failures that are kept; more of a stretch say nothing new.
    static let limit = 64
    /// Tracks may pause for this long by themselves.
    static let pause: Int64 = 500_000_000
    /// A part is read ahead by less than this.
    static let readAhead: Int64 = 1_000_000_000

    mutating func expectGaps(_ new: Set<String>) { gaps.formUnion(new) }

    /// A playlist writes addresses as relative to its own.
    private func isGap(_ address: String) -> Bool { gaps.contains { address == $0 || address.hasSuffix("/" + $0) } }

    mutating func partFailed(_ address: String, _ error: MediaError) {
        guard !isGap(address) else { return hasMetGap = true }
        failures.removeAll { $0.address == address }
        if failures.count < Self.limit { failures.append(Failure(address: address, error: error, position: position)) }
    }

    /// A later request for the same part may succeed.
    mutating func partOpened(_ address: String) { failures.removeAll { $0.address == address } }

    /// Records a packet of a played video or audio track.
    ///
    /// - Parameter jumps: how often the timeline has joined stamps so far: a long hole looks like a jump of the stamps.
    /// - Returns: the hole that the packet comes after.
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

    /// The first hole of what was read, when the end has been reached.
    ///
    /// - Parameters:
    ///   - length: the end of the film as the playlist states it; nil: unknown.
    ///   - readsOthers: other tracks than the film's own are read, whose parts may be the ones that failed.
    func hole(atEnd length: Int64?, readsOthers: Bool) -> Hole? {
        if let firstHole { return firstHole }
        let isShort = length.flatMap { length in position.map { $0 < length &- Self.pause } }
        guard
            let failure = failures.first(where: { failure in
                guard let position else { return true }
                // A part that failed before anything was read is missing at the start, if the film is too short.
                guard let then = failure.position else { return isShort == true }
                // After a part that is missing at the end only the rest of the part before it is read.
                return position &- then <= Self.readAhead
            })
        else { return nil }
        if readsOthers, isShort == false { return nil }
        return Hole(start: position ?? 0, end: nil, error: failure.error)
    }

    /// Another place is read from now on.
    mutating func restart() {
        let gaps = gaps
        self = MissingParts()
        self.gaps = gaps
    }
}

extension MissingParts.Hole {
    /// - Parameter origin: what the container's clock shows at the item's start.
    func warning(origin: Int64) -> MediaError {
        func seconds(_ time: Int64) -> String {
            let tenths = max(0, (time &- origin) / 100_000_000)
            return "\(tenths / 10).\(tenths % 10)"
        }
        let place = end.map { "from \(seconds(start)) s to \(seconds($0)) s" } ?? "from \(seconds(start)) s on"
        return MediaError(error.code, "a part is missing \(place): \(error.message)")
    }
}
