import SharedFrames

extension TerminalWriter {
    /// A corner in which the compositor draws a picture.
    struct Corner: Sendable {
        /// The intended size of the picture in the corner.
        let picture: PixelSize
        /// The number of the corner, which distinguishes successive corners.
        let number: Int
        /// Called on the writer's thread when the compositor receives its cells, and whenever their contents were
        /// lost.
        let onDrawingAllowed: @Sendable () -> Void
    }

    /// The result of writing bytes to the terminal.
    enum WriteResult {
        /// All bytes were written.
        case written
        /// A pause, the end of the thread or ``TerminalRestorer`` stopped the writing.
        case interrupted
        /// Writing failed with this `errno`.
        case lost(Int32)
    }
}
