/// Determines which packets of a segment follow those that were delivered before, when segments overlap: after a
/// change of the variant, or after a download was abandoned in the middle of a segment. A pure value; times are
/// nanoseconds on the item's timeline.
struct SeamRule: Sendable {
    /// What happens to a packet.
    enum Verdict: Sendable, Equatable {
        case deliver
        /// The packet is decoded, because later ones need it, but not shown.
        case decodeOnly
        case drop
    }

    /// The greatest difference between the times of one picture in two variants, in nanoseconds.
    private static let pictureTolerance: Int64 = 5_000_000

    /// The time of the last delivered picture, and the end of the last delivered sound, by track.
    private var lastTimes: [Int: Int64] = [:]
    /// The end of the last delivered packet, by track.
    private(set) var deliveredEndByTrack: [Int: Int64] = [:]
    /// The time of the last delivered picture before the current segment, by track.
    private var seams: [Int: Int64] = [:]

    /// Whether anything was delivered since the last seek.
    var isEmpty: Bool { deliveredEndByTrack.isEmpty }
    /// The time up to which all tracks were delivered; nil before the first packet.
    var deliveredEnd: Int64? { deliveredEndByTrack.values.min() }

    /// Begins another segment.
    mutating func beginSegment() { seams = lastTimes }

    /// Forgets everything after a seek.
    mutating func restart() { self = SeamRule() }

    /// Judges a packet, and records it.
    ///
    /// - Parameters:
    ///   - time: The presentation time; nil if unknown.
    ///   - duration: The duration; 0 if unknown.
    mutating func judge(track: Int, isVideo: Bool, time: Int64?, duration: Int64) -> Verdict {
        guard let time else { return .deliver }
        if let seam = seams[track] {
            // Pictures are compared by their times, so that picture N is followed by N + 1. The duration of a picture
            // says nothing of the distance to the previous one. A packet of sound is repeated if most of it was
            // delivered.
            if isVideo, time <= seam &+ min(duration / 2, Self.pictureTolerance) { return .decodeOnly }
            if !isVideo, time &+ duration / 2 < seam { return .drop }
        }
        lastTimes[track] = max(lastTimes[track] ?? .min, isVideo ? time : time &+ duration)
        deliveredEndByTrack[track] = max(deliveredEndByTrack[track] ?? .min, time &+ duration)
        return .deliver
    }
}
