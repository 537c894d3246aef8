/// What the player wants of reading an item. Contains only values.
package struct ReadingDemand: Sendable, Equatable {
    /// Whether a live playlist is loaded again also while the buffer is full, so that it is known what can be played.
    package var followsLiveStream = true
    /// The distance of playback from the end of a live stream, in nanoseconds; nil for the distance that the server
    /// recommends.
    package var liveOffset: Int64?
    /// The time to read ahead in nanoseconds; nil for the usual time.
    package var readAhead: Int64?
    package init() {}
}
