/// The states before each delivered segment, so that the last segments can be discarded and delivered again in another
/// variant.
struct SegmentStarts {
    /// The state before a segment.
    struct Start {
        /// The segment's start on the item's timeline, in nanoseconds.
        var time: Int64
        var seam: SeamRule
        /// The formats that the decoders had, by track.
        var formats: [Int: CodecParameters]
        /// The end of the previous segment; nil after a seek.
        var previous: SegmentReader.End?
        /// The first decoding times that were delivered since the segment began, by track, in nanoseconds.
        var firstTimes: [Int: Int64] = [:]
    }

    private var starts: [Start] = []
    /// The number of segments that are remembered: more than any buffer holds.
    private static let limit = 128
    /// The difference of the times of a segment in two playlists, which round them, in nanoseconds.
    private static let tolerance: Int64 = 100_000_000

    /// Adds the state before the next segment.
    mutating func append(
        time: Int64, seam: SeamRule, formats: [Int: CodecParameters], previous: SegmentReader.End?
    ) {
        if starts.count >= Self.limit { starts.removeFirst() }
        starts.append(Start(time: time, seam: seam, formats: formats, previous: previous))
    }

    /// Records a delivered packet.
    mutating func delivered(track: Int, decodingTime: Int64) {
        guard let last = starts.indices.last, starts[last].firstTimes[track] == nil else { return }
        starts[last].firstTimes[track] = decodingTime
    }

    /// Whether ``take(from:)`` returns a state for `time`.
    func contains(_ time: Int64) -> Bool { index(from: time) != nil }

    private func index(from time: Int64) -> Int? { starts.firstIndex { $0.time >= time - Self.tolerance } }

    /// Removes the segments from `time` on and returns the state before them, with the first decoding times of all
    /// that is removed; nil if no segment starts there.
    mutating func take(from time: Int64) -> Start? {
        guard let index = index(from: time) else { return nil }
        var start = starts[index]
        // A track may begin in a later segment only.
        for later in starts[(index + 1)...] { start.firstTimes.merge(later.firstTimes) { first, _ in first } }
        starts.removeSubrange(index...)
        return start
    }
}

/// Replacing buffered segments by the same segments of a higher variant.
extension RenditionReader {
    /// Returns to the first segment that is to be delivered again in a higher variant.
    ///
    /// - Returns: The decoding times in nanoseconds, by track, from which on delivered packets are to be discarded; nil
    ///   if all segments are kept.
    func replaceBufferedSegments() -> [Int: Int64]? {
        guard rejoin == nil, case .ladder(let ladder) = origin,
            let time = ladder.replacementTime(where: { starts.contains($0) }), let start = starts.take(from: time)
        else { return nil }
        if let current { ladder.record(current.demuxer.bytes, variant: variant, end: nil) }
        (current, nextNumber, nextTime, isAwaitingSegment) = (nil, nil, start.time, false)
        hasEnded = false
        (seam, formats, lastEnd, readTime) = (start.seam, start.formats, start.previous, start.time)
        return start.firstTimes
    }
}
