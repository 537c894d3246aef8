/// The position at which playback of a live stream continues after its next segment was removed from the playlist.
struct LiveRejoin: Sendable, Equatable {
    /// The position in nanoseconds on the item's timeline.
    var time: Int64
    /// Whether playback jumps to ``time`` at once; otherwise the packets that were already read are played first.
    var isImmediate: Bool
}
