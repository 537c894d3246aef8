/// Counters of the pictures passed to a terminal.
package struct TerminalStatistics: Equatable, Sendable {
    /// The number of pictures that were written completely.
    package var written = 0
    /// The number of pictures that were not written, because the terminal already showed them.
    package var unchanged = 0
    /// The number of pictures that a newer one replaced before the terminal could accept them.
    package var dropped = 0
    /// The number of bytes that were written.
    package var bytes = 0

    /// Creates counters at 0.
    package init() {}
}
