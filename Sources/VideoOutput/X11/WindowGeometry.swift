import SharedFrames

/// `--geometry` as mpv takes it: `[W[xH]][[+-]x[+-]y]`, numbers in pixels or, with `%`, in parts of the screen. Pure.
package struct WindowGeometry: Equatable, Sendable {
    package enum Length: Equatable, Sendable {
        case pixels(Int)
        case percent(Int)

        func of(_ whole: Int) -> Int {
            switch self {
            case .pixels(let n): n
            case .percent(let n): whole * n / 100
            }
        }
    }

    /// Distance from the near (`+`) or the far (`-`) edge.
    package struct Offset: Equatable, Sendable {
        var length: Length
        var fromFarEdge: Bool
    }

    package var width: Length?
    package var height: Length?
    package var x: Offset?
    package var y: Offset?
    package var hasPosition: Bool { x != nil && y != nil }

    package init() {}

    /// nil when the text is no geometry.
    package init?(parsing text: String) {
        var rest = Substring(text)
        func length() -> Length? {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard let n = Int(digits), n <= 100_000 else { return nil }
            rest = rest.dropFirst(digits.count)
            if rest.first == "%" {
                rest = rest.dropFirst()
                return .percent(n)
            }
            return .pixels(n)
        }
        func offset() -> Offset? {
            guard let sign = rest.first, sign == "+" || sign == "-" else { return nil }
            rest = rest.dropFirst()
            return length().map { Offset(length: $0, fromFarEdge: sign == "-") }
        }
        if let first = rest.first, first.isNumber || first == "x" {
            if first != "x" {
                width = length()
                if width == nil { return nil }
            }
            if rest.first == "x" {
                rest = rest.dropFirst()
                height = length()
                if height == nil { return nil }
            }
        }
        if !rest.isEmpty {
            x = offset()
            y = offset()
            guard hasPosition, rest.isEmpty else { return nil }
        }
        if width == nil, height == nil, x == nil { return nil }
    }

    /// Returns the place of a new window's inside, on the screen.
    ///
    /// A window without a size of its own has the picture's size, made smaller in the picture's shape where `available`
    /// is smaller. A size that the user asked for is only kept within the screen.
    ///
    /// - Parameters:
    ///   - picture: in square pixels.
    ///   - screen: what percentages and offsets refer to.
    ///   - available: where the window's inside may lie, panels and decorations left out; nil for the whole screen.
    package func frame(picture: PixelSize, screen: PixelSize, available: PixelRect? = nil) -> PixelRect {
        let whole = PixelRect(x: 0, y: 0, width: screen.width, height: screen.height)
        let aspectWidth = max(picture.width, 1), aspectHeight = max(picture.height, 1)
        let isSizeChosen = width != nil || height != nil
        var w = width?.of(screen.width), h = height?.of(screen.height)
        switch (w, h) {
        case (let known?, nil): h = known * aspectHeight / aspectWidth
        case (nil, let known?): w = known * aspectWidth / aspectHeight
        case (nil, nil): (w, h) = (aspectWidth, aspectHeight)
        default: break
        }
        var size = PixelSize(width: max(w ?? aspectWidth, 1), height: max(h ?? aspectHeight, 1))
        let room = isSizeChosen ? whole : available ?? whole
        if size.width > room.width || size.height > room.height {
            size =
                size.width * room.height > room.width * size.height
                ? PixelSize(width: room.width, height: max(1, size.height * room.width / size.width))
                : PixelSize(width: max(1, size.width * room.height / size.height), height: room.height)
        }
        func place(_ offset: Offset, _ extent: Int, _ whole: Int) -> Int {
            // A percentage places the window within the room it leaves, as mpv does.
            let distance =
                switch offset.length {
                case .pixels(let n): n
                case .percent(let n): (whole - extent) * n / 100
                }
            return offset.fromFarEdge ? whole - extent - distance : distance
        }
        return PixelRect(
            x: x.map { place($0, size.width, screen.width) } ?? room.x + max(0, (room.width - size.width) / 2),
            y: y.map { place($0, size.height, screen.height) } ?? room.y + max(0, (room.height - size.height) / 2),
            width: size.width, height: size.height)
    }
}
