/// The work put into symbols.
package enum TerminalDetail: Sendable {
    /// Quarter blocks: about 0.5 ms a picture.
    case quick
    /// libchafa's general symbols: finer edges for about 9 ms a picture.
    case fine
}
