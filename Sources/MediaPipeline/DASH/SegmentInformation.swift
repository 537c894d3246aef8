/// Where the segments of a representation are, and their times (ISO/IEC 23009-1, section 5.3.9). A pure value. Times
/// and durations count units of `1 / timescale` seconds, unless they are called nanoseconds.
struct SegmentInformation: Sendable, Equatable {
    /// A resource, or a part of it.
    struct Resource: Sendable, Equatable {
        /// The address, relative to the representation's base; nil for the base itself.
        var address: String?
        /// The part of the resource; nil for the whole resource.
        var range: ByteRange?
    }

    /// How the addresses of the segments are stated.
    enum Source: Sendable, Equatable {
        /// One template for all segments (`SegmentTemplate`).
        case template(TemplateText)
        /// A list (`SegmentList`).
        case list([Resource])
        /// One file with an index (`SegmentBase`).
        case index(ByteRange)
        /// One file, which is one segment.
        case file
    }

    /// Segments of the same duration without gaps between them (`S`).
    struct Run: Sendable, Equatable {
        /// The presentation time of the first segment.
        var start: Int
        /// The duration of each segment; at least 1.
        var duration: Int
        /// The number of segments; nil up to the end of the period.
        var count: Int?
    }

    var source: Source
    /// The bytes that a decoder needs before the segments; nil if there are none.
    var initialization: Resource?
    /// The number of time units of a second; at least 1.
    var timescale = 1
    /// The presentation time at the start of the period.
    var timeOffset = 0
    /// The number of the first segment.
    var startNumber = 1
    /// The number of the last segment; nil if not stated.
    var endNumber: Int?
    /// The duration of all segments; nil if not stated.
    var duration: Int?
    /// The times of the segments; nil if ``duration`` determines them.
    var timeline: [Run]?
    /// The time in nanoseconds that a segment of a live presentation is available before its end.
    var availabilityOffset: Int64 = 0
    /// The number of the element's line, counted from 1; nil if the manifest has no such element.
    var line: Int?

    /// Converts a time from the segments' clock to nanoseconds, clamped to about 146 years.
    func nanoseconds(_ time: Int) -> Int64 { Self.nanoseconds(time, timescale: timescale) }

    static func nanoseconds(_ time: Int, timescale: Int) -> Int64 {
        let product = time.magnitude.multipliedFullWidth(by: 1_000_000_000)
        let divisor = UInt(max(1, timescale))
        guard product.high < divisor else { return time < 0 ? -limit : limit }
        let quotient = divisor.dividingFullWidth(product).quotient
        let value = Int64(clamping: quotient)
        return time < 0 ? -min(value, limit) : min(value, limit)
    }

    /// Converts nanoseconds, at least 0, to a time of the segments' clock; the largest integer if it is too large.
    func time(ofNanoseconds value: Int64) -> Int {
        let product = UInt(max(0, value)).multipliedFullWidth(by: UInt(timescale))
        guard product.high < 1_000_000_000 else { return XMLElement.largestInteger }
        let quotient = UInt(1_000_000_000).dividingFullWidth(product).quotient
        return min(Int(clamping: quotient), XMLElement.largestInteger)
    }

    /// The longest duration of a segment that is stated, in nanoseconds; 0 if none is.
    var longestDuration: Int64 { nanoseconds(timeline?.map(\.duration).max() ?? duration ?? 0) }

    /// Returns this information with times in the units of a file's index.
    func withUnits(of index: SegmentIndex) -> SegmentInformation {
        var result = self
        let product = UInt(timeOffset).multipliedFullWidth(by: UInt(index.timescale)), divisor = UInt(timescale)
        let quotient = product.high < divisor ? divisor.dividingFullWidth(product).quotient : .max
        result.timeOffset = min(Int(clamping: quotient), XMLElement.largestInteger)
        result.timescale = index.timescale
        return result
    }

    private static let limit: Int64 = 1 << 62
}
