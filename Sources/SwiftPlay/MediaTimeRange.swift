/// A stretch of an item's timeline (CMTimeRange): from ``start`` on, ``end`` not included.
public struct MediaTimeRange: Sendable, Hashable, CustomStringConvertible {
    public let start: MediaTime
    public let duration: MediaTime

    public init(start: MediaTime, duration: MediaTime) {
        self.start = start
        self.duration = duration
    }

    /// From `start` to `end`; nothing where `end` comes first.
    public init(start: MediaTime, end: MediaTime) {
        self.start = start
        guard let from = start.nanoseconds, let to = end.nanoseconds else {
            duration = end == .positiveInfinity || end.isIndefinite ? end : .invalid
            return
        }
        let (length, overflows) = to.subtractingReportingOverflow(from)
        // Both lie within 292 years of zero; their distance may not.
        duration = to <= from ? .zero : overflows ? .positiveInfinity : MediaTime(nanoseconds: length)
    }

    /// No range at all: where one can be given, it means the whole.
    public static let invalid = MediaTimeRange(start: .invalid, duration: .invalid)

    public var isValid: Bool { start.isNumeric && duration.isValid }

    public var end: MediaTime {
        guard let from = start.nanoseconds, let length = duration.nanoseconds else { return duration }
        let (sum, overflows) = from.addingReportingOverflow(length)
        return overflows ? .positiveInfinity : MediaTime(nanoseconds: sum)
    }

    public func contains(_ time: MediaTime) -> Bool { time >= start && time < end }

    public var description: String { "\(start) to \(end)" }
}
