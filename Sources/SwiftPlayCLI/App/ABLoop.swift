/// The two points of an A-B loop (as in mpv): playback repeats the part of the file between them.
struct ABLoop: Sendable, Equatable {
    /// The time of point A in seconds; nil if it is not set.
    var pointA: Double?
    /// The time of point B in seconds; nil if it is not set.
    var pointB: Double?

    /// The times, in seconds, between which playback repeats; nil unless both points are set and differ. Either point
    /// may be the earlier one.
    var range: (start: Double, end: Double)? {
        guard let pointA, let pointB, pointA != pointB else { return nil }
        return (min(pointA, pointB), max(pointA, pointB))
    }

    /// Sets point A to `time` or, if point A is set, point B; clears both points if both are set. The key `l` calls
    /// this method.
    mutating func setNextPoint(at time: Double) {
        if pointA == nil {
            pointA = time
        } else if pointB == nil {
            pointB = time
        } else {
            (pointA, pointB) = (nil, nil)
        }
    }
}

/// Calculates the indices of the current, next and previous chapters. Times are in seconds.
enum ChapterIndex {
    /// The time into a chapter, in seconds, after which a step back returns to the start of the same chapter. Before
    /// that time, a step back leads to the previous chapter.
    static let restartThresholdSeconds = 5.0

    /// Returns the index of the chapter at `time`; -1 before the first chapter.
    static func index(at time: Double, starts: [Double]) -> Int { (starts.lastIndex { $0 <= time + 0.001 }) ?? -1 }

    /// Returns the index of the chapter `count` chapters after the chapter at `time`; nil if that is beyond the last
    /// chapter. `starts` are the start times of all chapters.
    static func targetIndex(from time: Double, by count: Int, starts: [Double]) -> Int? {
        let currentIndex = index(at: time, starts: starts)
        let (sum, sumOverflows) = currentIndex.addingReportingOverflow(count)
        var targetIndex = sumOverflows ? (count < 0 ? Int.min : .max) : sum
        if count < 0, currentIndex >= 0, time - starts[currentIndex] > restartThresholdSeconds { targetIndex += 1 }
        return targetIndex >= starts.count ? nil : max(targetIndex, 0)
    }
}
