/// The buffering state of an item. Values only.
package struct BufferingState: Sendable, Equatable {
    /// Whether no data is left to decode or to show.
    package var isEmpty: Bool
    /// Whether reading has paused because the buffer is full.
    package var isFull: Bool
    /// Whether everything has been read.
    package var hasReadAll: Bool
    /// The time read ahead of the decoders, in nanoseconds.
    package var readAhead: Int64
    /// The time on the item's timeline, in nanoseconds, up to which all tracks have been read; nil if it is unknown or
    /// if everything has been read.
    package var readUntil: Int64?
    /// The number of packet bytes read since the start.
    package var bytesRead: Int64
    /// Whether the item comes from the network, where reading may be slower than playback.
    package var isRemote = false
}
