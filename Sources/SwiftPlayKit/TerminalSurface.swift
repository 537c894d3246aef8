import CompositorProtocol
import Glibc
import SystemCalls
import VideoOutput

/// The description of the terminal of standard output, in whose corner the compositor draws Picture-in-Picture.
struct TerminalSurface {
    /// The message that describes the terminal to the compositor.
    let surface: ClientMessage.Surface
    /// The file descriptors of the terminal and of the shared memory that states in which cells the compositor draws.
    let descriptors: [SharedDescriptor]

    /// The colours and characters that the terminal supports, according to the environment variables.
    private static var capabilities: TerminalCapabilities {
        TerminalCapabilities { getenv($0).map { String(cString: $0) } }
    }

    /// Whether standard output is a terminal that can show pictures.
    static var isSupported: Bool { TerminalSession.isTerminal() && !capabilities.isDumb }

    /// Describes the terminal of standard output; nil if standard output is not a terminal that can show pictures.
    init?() {
        guard Self.isSupported, let sharedMemory = SharedTerminalMemory.standard,
            let terminal = try? FileDescriptor(duplicating: STDOUT_FILENO)
        else { return nil }
        let capabilities = Self.capabilities
        let colours: TerminalFeatures.Colours =
            switch capabilities.colours {
            case .direct: .direct
            case .indexed256: .palette
            case .indexed16: .sixteen
            }
        surface = .terminal(TerminalFeatures(colours: colours, hasOnlyHalfBlocks: capabilities.isPlainConsole))
        descriptors = [SharedDescriptor(terminal), sharedMemory.descriptor]
    }
}
