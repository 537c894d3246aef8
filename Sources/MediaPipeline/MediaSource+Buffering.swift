extension MediaSource {
    /// How much there is to play at once.
    package struct Buffering: Sendable, Equatable {
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

    package var buffering: Buffering {
        let isIdle = video.count == 0 && audio.count == 0
        return control.withLock { control in
            let packets = control.packets
            return Buffering(
                isEmpty: isIdle && packets.isEmpty, isFull: packets.hasTracks && !packets.wantsMore, hasReadAll: packets.hasEnded,
                readAhead: packets.readAhead, readUntil: packets.readUntil.map { $0 - control.origin }, bytesRead: packets.bytesRead,
                isRemote: isRemote)
        }
    }
}
