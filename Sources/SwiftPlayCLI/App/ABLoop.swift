/// The two points of mpv's A-B loop.
struct ABLoop: Sendable, Equatable {
    /// The first point, in seconds; nil if not set.
    var a: Double?
    /// The second point, in seconds; nil if not set.
    var b: Double?

    /// The range to repeat, in seconds; nil unless both points are set and differ. The points may be in any order.
    var range: (start: Double, end: Double)? {
        guard let a, let b, a != b else { return nil }
        return (min(a, b), max(a, b))
    }

    /// Sets the first point, then the second; clears both when both are set. The key `l` calls this.
    mutating func step(at time: Double) {
        if a == nil {
            a = time
        } else if b == nil {
            b = time
        } else {
            (a, b) = (nil, nil)
        }
    }
}

/// Calculations of the current, next and previous chapter. Times are in seconds.
enum ChapterPlace {
    /// Seconds into a chapter after which going back returns to the start of that chapter.
    static let threshold = 5.0

    /// Returns the index of the chapter at `time`; -1 before the first.
    static func index(at time: Double, starts: [Double]) -> Int { (starts.lastIndex { $0 <= time + 0.001 }) ?? -1 }

    /// Returns the index of the chapter `count` after the current one; nil if it is beyond the last.
    static func target(from time: Double, by count: Int, starts: [Double]) -> Int? {
        let now = index(at: time, starts: starts)
        let (sum, overflows) = now.addingReportingOverflow(count)
        var target = overflows ? (count < 0 ? Int.min : .max) : sum
        if count < 0, now >= 0, time - starts[now] > threshold { target += 1 }
        return target >= starts.count ? nil : max(target, 0)
    }
}
