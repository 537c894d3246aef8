/// Removes repeated cues: a cue that is visible in several segments is contained in each of them (RFC 8216, section
/// 3.5). Bounds the number of cues that are visible at the same time. A pure value.
struct CueMerger: Sendable {
    /// A cue's text and its rounded start.
    private struct Key: Hashable {
        var text: String
        var interval: Int64
    }

    /// The times of the known cues.
    private var known: [Key: Range<Int64>] = [:]
    /// The ends of the cues that are visible at the start of the last cue.
    private var visibleEnds: [Int64] = []

    /// The largest difference between the times of repetitions, in nanoseconds: packagers round.
    static let tolerance: Int64 = 2_000_000
    /// The number of cues that may be visible at the same time; further cues are left out.
    static let visibleLimit = 64
    /// The number of known cues beyond which all are forgotten; the timeline still recognises exactly equal cues.
    private static let countLimit = 50_000
    /// The length of the intervals to which starts are rounded, in nanoseconds; more than ``tolerance``.
    private static let interval: Int64 = 10_000_000

    /// Returns the cues that are not repetitions, in the order of their starts.
    ///
    /// - Parameter cues: The cues of one segment, on the item's timeline.
    mutating func merge(_ cues: [WebVTTCue]) -> [WebVTTCue] {
        if known.count > Self.countLimit { known = [:] }
        let sorted = cues.sorted { $0.start < $1.start }
        if let first = sorted.first { visibleEnds.removeAll { $0 <= first.start } }
        return sorted.filter { add($0) }
    }

    /// Handles a jump to another time, where other cues are visible.
    mutating func restart() { visibleEnds = [] }

    /// Adds a cue; returns whether it is new.
    private mutating func add(_ cue: WebVTTCue) -> Bool {
        guard cue.end > cue.start else { return false }
        let interval = cue.start / Self.interval
        let isRepeated = [-1, 0, 1].contains { (step: Int64) in
            guard let times = known[Key(text: cue.text, interval: interval &+ step)] else { return false }
            return Self.isClose(times.lowerBound, cue.start) && Self.isClose(times.upperBound, cue.end)
        }
        guard !isRepeated else { return false }
        visibleEnds.removeAll { $0 <= cue.start }
        guard visibleEnds.count < Self.visibleLimit else { return false }
        visibleEnds.append(cue.end)
        known[Key(text: cue.text, interval: interval)] = cue.start..<cue.end
        return true
    }

    private static func isClose(_ left: Int64, _ right: Int64) -> Bool {
        (left &- right).magnitude <= UInt64(tolerance)
    }
}
