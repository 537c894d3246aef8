/// Decides which packets a decoder may skip after a seek: packets of non-reference pictures that are not visible at the
/// sought time. A pure value; times are nanoseconds on the item's timeline.
///
/// A picture is visible until the next picture begins. Packets arrive in decoding order. A reference picture is decoded
/// before the pictures that precede it on screen, so the start of a later picture is often known early.
struct SeekDecodingPlan: Sendable {
    /// The latest known start of a picture at or before the sought time; with a deinterlacer, at or before the first
    /// picture that it needs. Nil if no such start is known since the last seek.
    private var latestStart: Int64?
    /// Whether the track's pictures are interlaced; nil until a picture is decoded.
    private var isInterlaced: Bool?

    /// The longest display time that is assumed for a picture, in nanoseconds: a picture that starts earlier than this
    /// before the sought time is not visible at that time.
    private static let longestPictureDuration: Int64 = 200_000_000
    /// The number of pictures before the visible picture that the deinterlacer needs.
    private static let deinterlacerPictureCount: Int64 = 4

    /// Discards the state of the previous seek.
    mutating func restart() { latestStart = nil }

    /// Records whether a decoded picture was interlaced.
    mutating func observe(interlaced: Bool) { isInterlaced = interlaced || isInterlaced == true }

    /// Decides whether the decoder may skip the next packet.
    ///
    /// - Parameters:
    ///   - time: The time at which the packet's picture begins.
    ///   - target: The sought time.
    ///   - duration: The usual time between two pictures.
    /// - Returns: If the decoder may skip the picture, the latest time at which the picture may end; nil if the picture
    ///   must be decoded.
    mutating func end(ofPictureAt time: Int64, before target: Int64, duration: Int64, deinterlacing: Deinterlacing)
        -> Int64?
    {
        let isProgressive = deinterlacing == .never || deinterlacing == .automatic && isInterlaced == false
        let deinterlacerDuration = Self.deinterlacerPictureCount &* duration
        let limit = isProgressive ? target : target &- deinterlacerDuration
        defer { if time <= limit { latestStart = max(latestStart ?? time, time) } }
        if let latestStart, latestStart > time { return latestStart }
        return time < target &- max(deinterlacerDuration, Self.longestPictureDuration) ? time &+ duration : nil
    }
}
