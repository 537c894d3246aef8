import SharedFrames

/// The value of `--geometry`, in mpv's syntax: `[W[xH]][[+-]x[+-]y]`. Numbers are pixels or, with `%`, percentages of
/// the screen.
package struct WindowGeometry: Equatable, Sendable {
    /// A length in pixels, or as a percentage of the screen.
    package enum Length: Equatable, Sendable {
        /// A number of pixels.
        case pixels(Int)
        /// A percentage of the width or height of the screen.
        case percent(Int)

        /// Returns the length in pixels.
        ///
        /// - Parameter whole: The length in pixels that corresponds to 100 %.
        func inPixels(of whole: Int) -> Int {
            switch self {
            case .pixels(let number): number
            case .percent(let number): whole * number / 100
            }
        }
    }

    /// A distance from the left or upper (`+`) or the right or lower (`-`) edge of the screen.
    package struct Offset: Equatable, Sendable {
        /// The distance from the edge of the screen.
        var length: Length
        /// Whether the distance is measured from the right or lower edge of the screen.
        var isFromFarEdge: Bool
    }

    /// The width of the window without decorations; nil if the option does not give it.
    package var width: Length?
    /// The height of the window without decorations; nil if the option does not give it.
    package var height: Length?
    /// The horizontal position of the window; nil if the option does not give it.
    package var x: Offset?
    /// The vertical position of the window; nil if the option does not give it.
    package var y: Offset?
    /// Whether the option `--geometry` gives a position.
    package var hasPosition: Bool { x != nil && y != nil }

    /// Creates a geometry without a size and a position.
    package init() {}

    /// Parses mpv's syntax. Returns nil if `text` does not follow it.
    package init?(parsing text: String) {
        var remainingText = Substring(text)
        func length() -> Length? {
            let digits = remainingText.prefix { $0.isASCII && $0.isNumber }
            guard let number = Int(digits), number <= 100_000 else { return nil }
            remainingText = remainingText.dropFirst(digits.count)
            if remainingText.first == "%" {
                remainingText = remainingText.dropFirst()
                return .percent(number)
            }
            return .pixels(number)
        }
        func offset() -> Offset? {
            guard let sign = remainingText.first, sign == "+" || sign == "-" else { return nil }
            remainingText = remainingText.dropFirst()
            return length().map { Offset(length: $0, isFromFarEdge: sign == "-") }
        }
        if let firstCharacter = remainingText.first, firstCharacter.isNumber || firstCharacter == "x" {
            if firstCharacter != "x" {
                width = length()
                if width == nil { return nil }
            }
            if remainingText.first == "x" {
                remainingText = remainingText.dropFirst()
                height = length()
                if height == nil { return nil }
            }
        }
        if !remainingText.isEmpty {
            x = offset()
            y = offset()
            guard hasPosition, remainingText.isEmpty else { return nil }
        }
        if width == nil, height == nil, x == nil { return nil }
    }

    /// Returns the rectangle of a new window on the screen, without decorations.
    ///
    /// Without a chosen size, the window has the picture's size, scaled down with its aspect ratio to fit `available`.
    /// A size that the user chose is only limited to the screen.
    ///
    /// - Parameters:
    ///   - picture: The size of the picture in square pixels.
    ///   - screen: The size that percentages and offsets refer to.
    ///   - available: The area that panels and decorations leave free; nil for the whole screen.
    package func frame(picture: PixelSize, screen: PixelSize, available: PixelRect? = nil) -> PixelRect {
        let wholeScreen = PixelRect(x: 0, y: 0, width: screen.width, height: screen.height)
        let aspectWidth = max(picture.width, 1), aspectHeight = max(picture.height, 1)
        let isSizeChosen = width != nil || height != nil
        var chosenWidth = width?.inPixels(of: screen.width), chosenHeight = height?.inPixels(of: screen.height)
        switch (chosenWidth, chosenHeight) {
        case (let knownLength?, nil): chosenHeight = knownLength * aspectHeight / aspectWidth
        case (nil, let knownLength?): chosenWidth = knownLength * aspectWidth / aspectHeight
        case (nil, nil): (chosenWidth, chosenHeight) = (aspectWidth, aspectHeight)
        default: break
        }
        var size = PixelSize(width: max(chosenWidth ?? aspectWidth, 1), height: max(chosenHeight ?? aspectHeight, 1))
        let limits = isSizeChosen ? wholeScreen : available ?? wholeScreen
        if size.width > limits.width || size.height > limits.height {
            size =
                size.width * limits.height > limits.width * size.height
                ? PixelSize(width: limits.width, height: max(1, size.height * limits.width / size.width))
                : PixelSize(width: max(1, size.width * limits.height / size.height), height: limits.height)
        }
        func place(_ offset: Offset, _ windowLength: Int, _ screenLength: Int) -> Int {
            // A percentage refers to the screen's length minus the window's length, as in mpv.
            let distance =
                switch offset.length {
                case .pixels(let number): number
                case .percent(let number): (screenLength - windowLength) * number / 100
                }
            return offset.isFromFarEdge ? screenLength - windowLength - distance : distance
        }
        return PixelRect(
            x: x.map { place($0, size.width, screen.width) } ?? limits.x + max(0, (limits.width - size.width) / 2),
            y: y.map { place($0, size.height, screen.height) } ?? limits.y + max(0, (limits.height - size.height) / 2),
            width: size.width, height: size.height)
    }
}
