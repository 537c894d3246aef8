import StreamPlaylists

/// The addresses and times of a representation's segments (ISO/IEC 23009-1, section 5.3.9). A pure value. Times and
/// durations are in time units of `1 / timescale` seconds, unless nanoseconds are stated.
struct SegmentInformation: Sendable, Equatable {
    /// A file on the server, or a part of one.
    struct Resource: Sendable, Equatable {
        /// The address of the file, relative to the representation's base; nil for the base itself.
        var address: String?
        /// The part of the file; nil for the whole file.
        var range: ByteRange?
    }

    /// The way in which the manifest states the addresses of the segments.
    enum Source: Sendable, Equatable {
        /// One address template for all segments (`SegmentTemplate`).
        case template(AddressTemplate)
        /// A list of the addresses of all segments (`SegmentList`).
        case list([Resource])
        /// One file with a segment index in this byte range (`SegmentBase`).
        case index(ByteRange)
        /// One file that is a single segment.
        case file
    }

    /// An entry of the segment timeline (`S` element): consecutive segments of equal duration, without gaps.
    struct TimelineEntry: Sendable, Equatable {
        /// The presentation time of the entry's first segment, in time units.
        var start: Int
        /// The duration of each segment in time units; at least 1.
        var duration: Int
        /// The number of segments of the entry; nil for all segments up to the end of the period.
        var count: Int?
    }

    var source: Source
    /// The bytes that a decoder needs before the first segment; nil if there are none.
    var initialization: Resource?
    /// The number of time units per second; at least 1.
    var timescale = 1
    /// The time in the segments' own timestamps at which the period starts, in time units (`presentationTimeOffset`).
    var timeOffset = 0
    /// The number of the first segment.
    var startNumber = 1
    /// The number of the last segment; nil if not stated.
    var endNumber: Int?
    /// The duration of each segment in time units; nil if not stated.
    var duration: Int?
    /// The entries of the segment timeline; nil if ``duration`` determines the times of the segments.
    var timeline: [TimelineEntry]?
    /// The time before a live segment's end from which it is available, in nanoseconds (`availabilityTimeOffset`).
    var availabilityOffset: Int64 = 0
    /// The line of the segment element in the manifest, counted from 1; nil if the manifest has no such element.
    var line: Int?

    /// Converts a time in time units to nanoseconds, clamped to about 146 years.
    func nanoseconds(_ time: Int) -> Int64 { Self.nanoseconds(time, timescale: timescale) }

    /// Converts a time in units of `1 / timescale` seconds to nanoseconds, clamped to about 146 years.
    static func nanoseconds(_ time: Int, timescale: Int) -> Int64 {
        let product = time.magnitude.multipliedFullWidth(by: 1_000_000_000)
        let divisor = UInt(max(1, timescale))
        guard product.high < divisor else { return time < 0 ? -nanosecondLimit : nanosecondLimit }
        let quotient = divisor.dividingFullWidth(product).quotient
        let value = Int64(clamping: quotient)
        return time < 0 ? -min(value, nanosecondLimit) : min(value, nanosecondLimit)
    }

    /// Converts nanoseconds, at least 0, to time units, clamped to the largest accepted integer.
    func time(ofNanoseconds value: Int64) -> Int {
        let product = UInt(max(0, value)).multipliedFullWidth(by: UInt(timescale))
        guard product.high < 1_000_000_000 else { return XMLElement.largestInteger }
        let quotient = UInt(1_000_000_000).dividingFullWidth(product).quotient
        return min(Int(clamping: quotient), XMLElement.largestInteger)
    }

    /// The longest stated duration of a segment, in nanoseconds; 0 if the manifest states none.
    var longestDuration: Int64 { nanoseconds(timeline?.map(\.duration).max() ?? duration ?? 0) }

    /// Returns this information with its times converted to the time units of a segment index.
    func withUnits(of index: SegmentIndex) -> SegmentInformation {
        var result = self
        let product = UInt(timeOffset).multipliedFullWidth(by: UInt(index.timescale)), divisor = UInt(timescale)
        let quotient = product.high < divisor ? divisor.dividingFullWidth(product).quotient : .max
        result.timeOffset = min(Int(clamping: quotient), XMLElement.largestInteger)
        result.timescale = index.timescale
        return result
    }

    /// The largest magnitude of a converted time, in nanoseconds.
    private static let nanosecondLimit: Int64 = 1 << 62
}
