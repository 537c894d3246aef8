/// What is to stand in the picture area.
package enum TerminalContent: Sendable {
    case cells(CellGrid)
    case image(TerminalImage)
}
