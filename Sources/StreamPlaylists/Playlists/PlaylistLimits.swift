/// The largest playlist that is accepted. The limits bound the memory and the time that a hostile server can cost.
package struct PlaylistLimits: Sendable, Equatable {
    /// The maximum size of the text, and of the text with all variables replaced, in bytes.
    package var bytes = 8 << 20
    /// The maximum number of variants, renditions and I-frame streams of a multivariant playlist.
    package var streams = 256
    /// The maximum number of segments of a media playlist.
    package var segments = 200_000
    /// The maximum length of one absolute address in bytes.
    package var addressBytes = 16 << 10
    /// The maximum number of attributes of one tag.
    package var attributes = 256
    /// The maximum number of variables that a playlist defines.
    package var variables = 1_000
    /// The maximum duration of one segment in nanoseconds: seven days.
    package var segmentDuration: Int64 = 7 * 24 * 3600 * 1_000_000_000
    /// The maximum number of warnings that are kept.
    package var warnings = 16

    package init() {}

    /// The maximum sum of all segment durations in nanoseconds: about 73 years, so that sums cannot overflow.
    package static let duration = Int64.max / 4
    /// The largest media sequence number and discontinuity sequence number.
    package static let largestSequenceNumber = Int.max / 4
}
