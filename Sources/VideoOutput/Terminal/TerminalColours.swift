/// How many colours the terminal shows.
package enum TerminalColours: Sendable, Equatable {
    case direct
    case indexed256
    case indexed16
}
