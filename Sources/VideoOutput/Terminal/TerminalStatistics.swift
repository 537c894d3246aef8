/// What became of the pictures handed to a terminal.
package struct TerminalStatistics: Equatable, Sendable {
    /// Pictures that were written to the end.
    package var written = 0
    /// Pictures that stood there already.
    package var unchanged = 0
    /// Pictures that a newer one replaced before the terminal could take them.
    package var dropped = 0
    package var bytes = 0

    package init() {}
}
