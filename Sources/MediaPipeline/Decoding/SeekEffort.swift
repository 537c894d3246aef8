/// Decides which packets on the way to a sought picture need not be decoded where no other picture is made from them:
/// those whose picture is not the one that is seen at the sought time. A pure value; times are nanoseconds on the
/// item's timeline.
///
/// A picture is seen until the next one begins. Packets come in the order in which they are decoded: a picture that
/// others refer to comes before those that are seen before it, so the begin of a later picture is often known already.
struct SeekEffort: Sendable {
    /// The newest picture since the seek that begins early enough to be seen at the sought time, or before it.
    private var newest: Int64?
    /// Whether pictures of the track are interlaced; nil: none was decoded yet.
    private var isInterlaced: Bool?

    /// A picture that begins so long before the sought time is over by then, by every file's stamps.
    private static let longestPicture: Int64 = 200_000_000
    /// The deinterlacer needs so many pictures before the one that is seen.
    private static let deinterlacedPictures: Int64 = 4

    /// A seek begins.
    mutating func restart() { newest = nil }

    /// A picture was decoded.
    mutating func met(interlaced: Bool) { isInterlaced = interlaced || isInterlaced == true }

    /// Takes note of the next packet.
    ///
    /// - Parameters:
    ///   - time: when its picture begins to be seen.
    ///   - target: the sought time.
    ///   - duration: the usual time from one picture to the next.
    /// - Returns: up to when its picture is seen at most, if it need not be decoded; nil: it must be.
    mutating func end(ofPictureAt time: Int64, before target: Int64, duration: Int64, deinterlacing: Deinterlacing)
        -> Int64?
    {
        let isPlain = deinterlacing == .never || deinterlacing == .automatic && isInterlaced == false
        let needed = Self.deinterlacedPictures &* duration
        let limit = isPlain ? target : target &- needed
        defer { if time <= limit { newest = max(newest ?? time, time) } }
        if let newest, newest > time { return newest }
        return time < target &- max(needed, Self.longestPicture) ? time &+ duration : nil
    }
}
