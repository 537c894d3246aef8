/// How the playback of a live stream continues after the next segment was removed from the playlist.
struct LiveRejoin: Sendable, Equatable {
    /// The position at which playback continues, on the item's timeline in nanoseconds.
    var time: Int64
    /// Whether playback continues there at once; otherwise after the packets that were read have been played.
    var isImmediate: Bool
}
