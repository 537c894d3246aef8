/// The reader's states before each delivered segment, so that the last segments can be discarded and delivered again in
/// another variant.
struct SegmentCheckpoints {
    /// The reader's state before a segment.
    struct Checkpoint {
        /// The segment's start on the item's timeline, in nanoseconds.
        var time: Int64
        var overlapRule: SegmentOverlapRule
        /// The formats for which the decoders were configured, by track.
        var formats: [Int: CodecParameters]
        /// The end of the previous segment; nil after a seek.
        var previous: SegmentReader.End?
        /// The first decoding time delivered for each track since the segment began, in nanoseconds.
        var firstTimes: [Int: Int64] = [:]
    }

    private var checkpoints: [Checkpoint] = []
    /// The maximum number of segments whose states are kept; no buffer holds more segments.
    private static let limit = 128
    /// The largest difference between the times of the same segment in two playlists, in nanoseconds; playlists round
    /// times.
    private static let tolerance: Int64 = 100_000_000

    /// Stores the reader's state before the next segment.
    mutating func append(
        time: Int64, overlapRule: SegmentOverlapRule, formats: [Int: CodecParameters], previous: SegmentReader.End?
    ) {
        if checkpoints.count >= Self.limit { checkpoints.removeFirst() }
        checkpoints.append(Checkpoint(time: time, overlapRule: overlapRule, formats: formats, previous: previous))
    }

    /// Records the decoding time of a delivered packet.
    mutating func recordDelivery(track: Int, decodingTime: Int64) {
        guard let lastIndex = checkpoints.indices.last, checkpoints[lastIndex].firstTimes[track] == nil else { return }
        checkpoints[lastIndex].firstTimes[track] = decodingTime
    }

    /// Returns whether ``take(from:)`` would return a state for `time`.
    func contains(_ time: Int64) -> Bool { index(from: time) != nil }

    private func index(from time: Int64) -> Int? { checkpoints.firstIndex { $0.time >= time - Self.tolerance } }

    /// Removes the states of the segments from `time` on and returns the first of them, with each track's first
    /// decoding time in all removed segments; nil if no segment starts at or after `time`.
    mutating func take(from time: Int64) -> Checkpoint? {
        guard let index = index(from: time) else { return nil }
        var checkpoint = checkpoints[index]
        // A track may have its first packet in a later segment.
        for laterCheckpoint in checkpoints[(index + 1)...] {
            checkpoint.firstTimes.merge(laterCheckpoint.firstTimes) { first, _ in first }
        }
        checkpoints.removeSubrange(index...)
        return checkpoint
    }
}

/// Replaces buffered segments by the same segments of a higher variant.
extension RenditionReader {
    /// Moves back to the first segment that is to be delivered again in a higher variant.
    ///
    /// - Returns: The decoding time of each track, in nanoseconds, from which delivered packets must be discarded; nil
    ///   if no segment is replaced.
    func replaceBufferedSegments() -> [Int: Int64]? {
        guard rejoin == nil, case .ladder(let ladder) = origin,
            let time = ladder.replacementTime(where: { checkpoints.contains($0) }),
            let checkpoint = checkpoints.take(from: time)
        else { return nil }
        if let segmentReader { ladder.recordDownload(segmentReader.demuxer.bytes, variant: variant, end: nil) }
        (segmentReader, nextNumber, nextTime, isAwaitingSegment) = (nil, nil, checkpoint.time, false)
        hasEnded = false
        (overlapRule, formats) = (checkpoint.overlapRule, checkpoint.formats)
        (lastEnd, readEndTime) = (checkpoint.previous, checkpoint.time)
        return checkpoint.firstTimes
    }
}
