/// The content of a terminal's picture area.
package enum TerminalContent: Sendable {
    /// The picture as character cells.
    case cells(CellGrid)
    /// The picture as an image in a graphics protocol.
    case image(TerminalImage)
}
