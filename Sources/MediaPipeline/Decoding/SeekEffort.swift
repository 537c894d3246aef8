/// Decides which packets a decoder may skip on the way to a sought picture: packets of non-reference pictures that are
/// not visible at the sought time. A pure value; times are nanoseconds on the item's timeline.
///
/// A picture is visible until the next picture begins. Packets arrive in decoding order. A reference picture is decoded
/// before the pictures that precede it on screen, so the start of a later picture is often known early.
struct SeekEffort: Sendable {
    /// The latest known picture start that is not after the sought time, since the last seek.
    private var newest: Int64?
    /// Whether the track's pictures are interlaced; nil until a picture is decoded.
    private var isInterlaced: Bool?

    /// A picture that starts this long before the sought time, in nanoseconds, is over by then in every file.
    private static let longestPicture: Int64 = 200_000_000
    /// The number of pictures that the deinterlacer needs before the visible picture.
    private static let deinterlacedPictures: Int64 = 4

    /// Starts a new seek.
    mutating func restart() { newest = nil }

    /// Records whether a decoded picture was interlaced.
    mutating func met(interlaced: Bool) { isInterlaced = interlaced || isInterlaced == true }

    /// Evaluates the next packet.
    ///
    /// - Parameters:
    ///   - time: The start time of the packet's picture.
    ///   - target: The sought time.
    ///   - duration: The usual time between two pictures.
    /// - Returns: The latest possible end of the picture if the decoder may skip it; nil if the picture must be
    ///   decoded.
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
