/// The state of reading an item ahead of playback. Contains only values.
package struct BufferingState: Sendable, Equatable {
    /// Whether the buffers are empty: no packets are left to decode, and no decoded data is left to play.
    package var isEmpty: Bool
    /// Whether reading has paused because the buffer is full.
    package var isFull: Bool
    /// Whether the item has been read to its end.
    package var hasReadAll: Bool
    /// The time that has been read ahead of the decoders, in nanoseconds.
    package var readAhead: Int64
    /// The time on the item's timeline, in nanoseconds, up to which all tracks have been read; nil if it is unknown or
    /// if everything has been read.
    package var readUntil: Int64?
    /// The number of packet bytes read since the item was opened.
    package var bytesRead: Int64
    /// The size of the packets that wait for the decoders, in bytes.
    package var packetBytes = 0
    /// Whether the item comes from the network, where reading may be slower than playback.
    package var isRemote = false
    /// The target duration of a live stream in nanoseconds. Close to the live end, not much more than one target
    /// duration can be read ahead. Nil for other items.
    package var liveTargetDuration: Int64?
}
