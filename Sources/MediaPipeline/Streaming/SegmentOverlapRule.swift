/// Decides which packets of a segment are new if it overlaps the segments delivered before: after a change of the
/// variant, or after a download was abandoned within a segment. A pure value; times are nanoseconds on the item's
/// timeline.
struct SegmentOverlapRule: Sendable {
    /// The decision about a packet.
    enum Verdict: Sendable, Equatable {
        case deliver
        /// The packet is decoded but not shown, because later packets need it.
        case decodeOnly
        case drop
    }

    /// The greatest difference between the times of the same picture in two variants, in nanoseconds.
    private static let pictureTolerance: Int64 = 5_000_000

    /// The time of the last delivered picture, or the end of the last delivered audio packet, by track.
    private var lastTimes: [Int: Int64] = [:]
    /// The latest end of all delivered packets, by track.
    private(set) var deliveredEndByTrack: [Int: Int64] = [:]
    /// The value of ``lastTimes`` at the start of the current segment.
    private var timesAtSegmentStart: [Int: Int64] = [:]

    /// Whether no packet was delivered since the last seek.
    var isEmpty: Bool { deliveredEndByTrack.isEmpty }
    /// The time up to which all tracks were delivered; nil before the first packet.
    var deliveredEnd: Int64? { deliveredEndByTrack.values.min() }

    /// Starts a new segment, whose packets may overlap those delivered so far.
    mutating func beginSegment() { timesAtSegmentStart = lastTimes }

    /// Resets the rule after a seek.
    mutating func restart() { self = SegmentOverlapRule() }

    /// Decides about a packet, and records the packet if it is delivered.
    ///
    /// - Parameters:
    ///   - time: The presentation time of the packet; nil if it is unknown.
    ///   - duration: The duration of the packet; 0 if it is unknown.
    mutating func judge(track: Int, isVideo: Bool, time: Int64?, duration: Int64) -> Verdict {
        guard let time else { return .deliver }
        if let lastTime = timesAtSegmentStart[track] {
            // A picture is new if it starts after the last delivered picture, so that picture N + 1 follows picture N.
            // Durations do not decide, because they do not show the distances between pictures. Drop an audio packet if
            // more than half of it was already delivered.
            if isVideo, time <= lastTime &+ min(duration / 2, Self.pictureTolerance) { return .decodeOnly }
            if !isVideo, time &+ duration / 2 < lastTime { return .drop }
        }
        lastTimes[track] = max(lastTimes[track] ?? .min, isVideo ? time : time &+ duration)
        deliveredEndByTrack[track] = max(deliveredEndByTrack[track] ?? .min, time &+ duration)
        return .deliver
    }
}
