import CompositorProtocol
import Glibc
import SystemCalls
import VideoOutput

/// The terminal behind standard output, as the compositor is told of it.
struct TerminalSurface {
    let surface: ClientMessage.Surface
    /// The terminal, and the memory that says whose cells are whose.
    let descriptors: [SharedDescriptor]

    private static var abilities: TerminalAbilities { TerminalAbilities { getenv($0).map { String(cString: $0) } } }

    static var isSupported: Bool { TerminalSession.isTerminal() && !abilities.isDumb }

    /// nil where standard output is no terminal that pictures can be drawn on.
    init?() {
        guard Self.isSupported, let share = TerminalShare.standard,
            let terminal = try? FileDescriptor(duplicating: STDOUT_FILENO)
        else { return nil }
        let abilities = Self.abilities
        let colours: TerminalKind.Colours =
            switch abilities.colours {
            case .direct: .direct
            case .indexed256: .palette
            case .indexed16: .sixteen
            }
        surface = .terminal(TerminalKind(colours: colours, halvesOnly: abilities.isPlainConsole))
        descriptors = [SharedDescriptor(terminal), share.descriptor]
    }
}
