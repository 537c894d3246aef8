/// Counters of the pictures passed to a terminal.
package struct TerminalStatistics: Equatable, Sendable {
    /// The number of pictures that were written completely.
    package var writtenPictureCount = 0
    /// The number of pictures that were not written, because the terminal already showed them.
    package var unchangedPictureCount = 0
    /// The number of pictures that a newer one replaced before the terminal could accept them.
    package var droppedPictureCount = 0
    /// The number of bytes that were written.
    package var writtenByteCount = 0

    /// Creates counters at 0.
    package init() {}
}
