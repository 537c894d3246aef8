/// How much of an item there is to play at once. Values only.
package struct BufferingState: Sendable, Equatable {
    /// Nothing is left to be decoded or shown.
    package var isEmpty: Bool
    /// Reading has stopped since there is enough.
    package var isFull: Bool
    /// There is no more to be read.
    package var hasReadAll: Bool
    /// Nanoseconds read ahead of the decoders.
    package var readAhead: Int64
    /// Nanoseconds on the item's timeline up to which all tracks have been read; nil when not known, or all is read.
    package var readUntil: Int64?
    /// Bytes of packets since the start.
    package var bytesRead: Int64
    /// What is read comes from an address, whose connection may be slower than playing.
    package var isRemote = false
}
