/// The player's settings for reading ahead and for following live streams. Contains only values.
package struct ReadingDemand: Sendable, Equatable {
    /// Whether a live playlist is reloaded even while the buffer is full, so that the range of playable times stays
    /// current.
    package var followsLiveStream = true
    /// The distance of playback from the end of a live stream, in nanoseconds; nil uses the distance that the server
    /// recommends.
    package var liveOffset: Int64?
    /// The time to read ahead in nanoseconds; nil uses the default.
    package var readAhead: Int64?
    /// The largest number of bytes of a network item to read ahead, unless the item's configuration sets a limit; nil
    /// for the default number.
    package var byteLimit: Int?
    /// The largest number of received bytes of a single network resource that are kept, unless the item's configuration
    /// sets a limit; nil for the default number.
    package var cacheByteLimit: Int?
    package init() {}
}
