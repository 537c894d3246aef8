/// A range on an item's timeline (CMTimeRange): from ``start`` up to, and not including, ``end``.
public struct MediaTimeRange: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The first time in the range.
    public let start: MediaTime
    /// The length of the range. It may be ``MediaTime/positiveInfinity`` or ``MediaTime/indefinite``.
    public let duration: MediaTime

    /// Creates a range by its start and length.
    public init(start: MediaTime, duration: MediaTime) {
        self.start = start
        self.duration = duration
    }

    /// Creates a range by its start and end. It is empty if `end` is not after `start`.
    public init(start: MediaTime, end: MediaTime) {
        self.start = start
        duration = start.isNumeric && end.isNumeric && end <= start ? .zero : end - start
    }

    /// The absence of a range. Where an API accepts an invalid range, such as ``PlayerLooper``, it means the whole
    /// item.
    public static let invalid = MediaTimeRange(start: .invalid, duration: .invalid)

    /// Whether ``start`` is numeric and ``duration`` is valid.
    public var isValid: Bool { start.isNumeric && duration.isValid }
    /// Whether the range is valid and contains no time.
    public var isEmpty: Bool { isValid && duration == .zero }

    /// The first time after the range.
    public var end: MediaTime { start + duration }

    /// Returns whether `time` is in the range.
    public func contains(_ time: MediaTime) -> Bool { time >= start && time < end }

    /// The start and the end, with their units: `1.0 s to 2.5 s`.
    public var description: String { "\(start) to \(end)" }
}
