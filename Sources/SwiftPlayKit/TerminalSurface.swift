import CompositorProtocol
import Glibc
import SystemCalls
import VideoOutput

/// The terminal of standard output, as described to the compositor.
struct TerminalSurface {
    let surface: ClientMessage.Surface
    /// The terminal, and the memory that assigns cells to the processes.
    let descriptors: [SharedDescriptor]

    private static var abilities: TerminalAbilities { TerminalAbilities { getenv($0).map { String(cString: $0) } } }

    static var isSupported: Bool { TerminalSession.isTerminal() && !abilities.isDumb }

    /// Creates the description; nil if standard output is not a terminal that can show pictures.
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
