/// Removes repeated WebVTT cues, because each segment contains all cues that are visible in it (RFC 8216, section 3.5).
/// Limits the number of cues that are visible at the same time. A pure value.
struct CueMerger: Sendable {
    /// A cue's text and its rounded start.
    private struct Key: Hashable {
        var text: String
        /// The start of the cue, in units of ``CueMerger/interval``.
        var interval: Int64
    }

    /// The times of the cues returned so far, in nanoseconds.
    private var cueTimes: [Key: Range<Int64>] = [:]
    /// The ends of the cues that are visible at the start of the last cue, in nanoseconds.
    private var visibleEnds: [Int64] = []

    /// The largest difference between the times of a cue and of its repetition, in nanoseconds; packagers round times.
    static let tolerance: Int64 = 2_000_000
    /// The maximum number of cues that are visible at the same time; further cues are dropped.
    static let visibleLimit = 64
    /// The number of recorded cues beyond which the record is cleared. ``SubtitleTimeline`` still removes exact
    /// repetitions.
    private static let knownCueLimit = 50_000
    /// The length of the intervals to which the starts of cues are rounded, in nanoseconds; more than ``tolerance``.
    private static let interval: Int64 = 10_000_000

    /// Returns the cues that are not repetitions, in the order of their starts.
    ///
    /// - Parameter cues: The cues of one segment, on the item's timeline.
    mutating func merge(_ cues: [WebVTTCue]) -> [WebVTTCue] {
        if cueTimes.count > Self.knownCueLimit { cueTimes = [:] }
        let sortedCues = cues.sorted { $0.start < $1.start }
        if let firstCue = sortedCues.first { visibleEnds.removeAll { $0 <= firstCue.start } }
        return sortedCues.filter { add($0) }
    }

    /// Resets the visible cues after a seek.
    mutating func restart() { visibleEnds = [] }

    /// Adds a cue; returns whether it is new and within the limit of visible cues.
    private mutating func add(_ cue: WebVTTCue) -> Bool {
        guard cue.end > cue.start else { return false }
        let interval = cue.start / Self.interval
        let isRepeated = [-1, 0, 1].contains { (step: Int64) in
            guard let knownTimes = cueTimes[Key(text: cue.text, interval: interval &+ step)] else { return false }
            return Self.isClose(knownTimes.lowerBound, cue.start) && Self.isClose(knownTimes.upperBound, cue.end)
        }
        guard !isRepeated else { return false }
        visibleEnds.removeAll { $0 <= cue.start }
        guard visibleEnds.count < Self.visibleLimit else { return false }
        visibleEnds.append(cue.end)
        cueTimes[Key(text: cue.text, interval: interval)] = cue.start..<cue.end
        return true
    }

    private static func isClose(_ left: Int64, _ right: Int64) -> Bool {
        (left &- right).magnitude <= UInt64(tolerance)
    }
}
