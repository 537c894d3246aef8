/// The colour mode of a terminal: RGB, 256 or 16 colours.
package enum TerminalColours: Sendable, Equatable {
    /// 24-bit RGB.
    case direct
    /// A palette of 256 colours (``Palette256``).
    case indexed256
    /// The 16 ANSI colours.
    case indexed16
}
