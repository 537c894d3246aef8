/// The style of the pictures in a part of a terminal: characters, or images of a graphics protocol.
package struct TerminalPictureStyle: Equatable, Sendable {
    /// The way of drawing in the memory that two processes share.
    private enum Graphics: UInt32 {
        case symbols = 1
        case sixel = 2
        case kitty = 3
    }

    /// The number of 32-bit words of ``words``.
    static let wordCount = 4
    /// The number of 32-bit words of ``passthroughWords``.
    static let passthroughWordCount = 3

    /// The drawing mode: ``TerminalMode/symbols``, ``TerminalMode/sixel`` or ``TerminalMode/kitty``.
    package var mode = TerminalMode.symbols
    /// The colours of characters.
    package var colours: TerminalColours
    /// Whether characters are half blocks only.
    package var hasOnlyHalfBlocks: Bool
    /// Whether sixel images have the palette of 240 colours instead of 16.
    package var hasFullSixelPalette = true
    /// The way of images to the terminal behind a multiplexer; nil without a multiplexer.
    package var passthrough: TerminalPassthrough?
    /// The number of a kitty image in the region.
    package var imageNumber = KittyImageEncoder.regionImageNumber

    /// Creates the style of pictures that consist of characters.
    package init(colours: TerminalColours, hasOnlyHalfBlocks: Bool) {
        self.colours = colours
        self.hasOnlyHalfBlocks = hasOnlyHalfBlocks
    }

    /// Creates the style that a terminal supports, for a requested mode.
    init(_ capabilities: TerminalCapabilities, mode: TerminalMode) {
        self.init(colours: capabilities.colours, hasOnlyHalfBlocks: capabilities.hasOnlyHalfBlocks)
        self.mode = capabilities.resolve(mode)
        hasFullSixelPalette = capabilities.hasFullSixelPalette
        guard self.mode != .symbols, let passthrough = capabilities.passthrough else { return }
        self.passthrough = passthrough
        if passthrough.multiplexer == .tmux { imageNumber = KittyImageEncoder.regionPlaceholderImageNumber }
    }

    /// The escape sequence that deletes the kitty image of the region; empty without such an image.
    var imageDeletion: [UInt8] { mode == .kitty ? KittyImageEncoder.deletion(of: imageNumber, passthrough) : [] }

    /// Creates a style from words of shared memory; nil if a word is not valid.
    ///
    /// - Parameter passthroughWords: The ``passthroughWords``; zeros without a multiplexer.
    init?(words: some Collection<UInt32>, passthroughWords: some Collection<UInt32>) {
        let words = Array(words), passthroughWords = Array(passthroughWords)
        guard words.count == Self.wordCount, passthroughWords.count == Self.passthroughWordCount,
            var graphics = Graphics(rawValue: words[0]), words[2] <= 1, words[3] <= 1
        else { return nil }
        if passthroughWords[0] != 0 {
            guard graphics == .symbols, let passedGraphics = Graphics(rawValue: passthroughWords[0] >> 8),
                let multiplexer = TerminalPassthrough.Multiplexer(rawValue: passthroughWords[0] & 255),
                16...255 ~= passthroughWords[2] || passthroughWords[2] == UInt32(KittyImageEncoder.regionImageNumber)
            else { return nil }
            let (x, y) = (Int(passthroughWords[1] & 0xffff), Int(passthroughWords[1] >> 16))
            guard x <= 9_999, y <= 9_999 else { return nil }
            graphics = passedGraphics
            passthrough = TerminalPassthrough(multiplexer: multiplexer, x: x, y: y)
            imageNumber = Int(passthroughWords[2])
        }
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

    private var graphics: Graphics {
        switch mode {
        case .sixel: .sixel
        case .kitty: .kitty
        case .automatic, .symbols, .halfBlocks, .halfBlocks256: .symbols
        }
    }

    /// The words of shared memory that describe the way through a multiplexer and the images that take it; zeros
    /// without one. ``words`` then state characters, because an older compositor does not know the way.
    var passthroughWords: [UInt32] {
        guard let passthrough else { return [0, 0, 0] }
        let origin = UInt32(clamping: passthrough.origin.x) | UInt32(clamping: passthrough.origin.y) << 16
        return [passthrough.multiplexer.rawValue | graphics.rawValue << 8, origin, UInt32(clamping: imageNumber)]
    }

    /// The words of shared memory that describe the style.
    var words: [UInt32] {
        let colourNumber: UInt32 =
            switch colours {
            case .indexed16: 1
            case .indexed256: 2
            case .direct: 3
            }
        return [
            (passthrough == nil ? graphics : .symbols).rawValue, colourNumber, hasOnlyHalfBlocks ? 1 : 0,
            hasFullSixelPalette ? 1 : 0,
        ]
    }
}
