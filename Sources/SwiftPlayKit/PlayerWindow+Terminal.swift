import VideoOutput

extension PlayerWindow.TerminalGraphics {
    /// The drawing mode of the terminal output.
    var mode: TerminalMode {
        switch self {
        case .automatic: .automatic
        case .symbols: .symbols
        case .halfBlocks: .halfBlocks
        case .halfBlocks256: .halfBlocks256
        case .sixel: .sixel
        case .kitty: .kitty
        }
    }
}
