/// The quality and cost of pictures that consist of characters (symbols).
package enum TerminalDetail: Sendable {
    /// Quarter blocks, in about 0.5 ms per picture.
    case quick
    /// libchafa's general symbols with finer edges, in about 9 ms per picture.
    case fine
}
