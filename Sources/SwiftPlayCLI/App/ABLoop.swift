/// The two points of mpv's A-B loop. Pure.
struct ABLoop: Sendable, Equatable {
    /// Seconds; nil = not set.
    var a: Double?
    var b: Double?

    /// What is played over and over: both points must be set; they may be given in any order.
    var range: (start: Double, end: Double)? {
        guard let a, let b, a != b else { return nil }
        return (min(a, b), max(a, b))
    }

    /// The key: first point, second point, none.
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

/// Where one is among chapters, and where the next and the previous one are. Pure; seconds.
enum ChapterPlace {
    /// So far into a chapter, going back goes to its own start.
    static let threshold = 5.0

    /// The chapter at `time`; -1 before the first.
    static func index(at time: Double, starts: [Double]) -> Int { (starts.lastIndex { $0 <= time + 0.001 }) ?? -1 }

    /// The chapter that is `count` further on; nil where that is beyond the last.
    static func target(from time: Double, by count: Int, starts: [Double]) -> Int? {
        let now = index(at: time, starts: starts)
        let (sum, overflows) = now.addingReportingOverflow(count)
        var target = overflows ? (count < 0 ? Int.min : .max) : sum
        if count < 0, now >= 0, time - starts[now] > threshold { target += 1 }
        return target >= starts.count ? nil : max(target, 0)
    }
}
