/// How pictures are drawn in a part of a terminal: with characters, or as images of a graphics protocol.
package struct TerminalPictureStyle: Equatable, Sendable {
    /// The way of drawing in the memory that two processes share.
    private enum Graphics: UInt32 {
        case symbols = 1
        case sixel = 2
        case kitty = 3
    }

    /// The number of 32-bit words of ``words``.
    static let wordCount = 4

    /// The drawing mode: ``TerminalMode/symbols``, ``TerminalMode/sixel`` or ``TerminalMode/kitty``.
    package var mode = TerminalMode.symbols
    /// The colours of characters.
    package var colours: TerminalColours
    /// Whether characters are half blocks only.
    package var hasOnlyHalfBlocks: Bool
    /// Whether sixel images have the palette of 240 colours instead of 16.
    package var hasFullSixelPalette = true

    /// Creates the style of pictures that consist of characters.
    package init(colours: TerminalColours, hasOnlyHalfBlocks: Bool) {
        self.colours = colours
        self.hasOnlyHalfBlocks = hasOnlyHalfBlocks
    }

    /// Creates the style that a terminal supports, for a requested mode.
    init(_ capabilities: TerminalCapabilities, mode: TerminalMode) {
        self.init(colours: capabilities.colours, hasOnlyHalfBlocks: capabilities.hasOnlyHalfBlocks)
        // The process that draws in a region does not know the way through a multiplexer.
        self.mode = capabilities.isMultiplexed ? .symbols : capabilities.resolve(mode)
        hasFullSixelPalette = capabilities.hasFullSixelPalette
    }

    /// Creates a style from words of shared memory; nil if a word is not valid.
    init?(words: some Collection<UInt32>) {
        let words = Array(words)
        guard words.count == Self.wordCount, let graphics = Graphics(rawValue: words[0]), words[2] <= 1, words[3] <= 1
        else { return nil }
        switch words[1] {
        case 1: colours = .indexed16
        case 2: colours = .indexed256
        case 3: colours = .direct
        default: return nil
        }
        switch graphics {
        case .symbols: mode = .symbols
        case .sixel: mode = .sixel
        case .kitty: mode = .kitty
        }
        hasOnlyHalfBlocks = words[2] == 1
        hasFullSixelPalette = words[3] == 1
    }

    /// The words of shared memory that describe the style.
    var words: [UInt32] {
        let graphics: Graphics =
            switch mode {
            case .sixel: .sixel
            case .kitty: .kitty
            case .automatic, .symbols, .halfBlocks, .halfBlocks256: .symbols
            }
        let colourNumber: UInt32 =
            switch colours {
            case .indexed16: 1
            case .indexed256: 2
            case .direct: 3
            }
        return [graphics.rawValue, colourNumber, hasOnlyHalfBlocks ? 1 : 0, hasFullSixelPalette ? 1 : 0]
    }
}
