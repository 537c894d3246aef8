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

    /// Where the window comes to be: the picture's size where nothing else is said, never larger than the screen, in the middle.
    package func frame(picture: PixelSize, screen: PixelSize) -> PixelRect {
        let aspectWidth = max(picture.width, 1), aspectHeight = max(picture.height, 1)
        var w = width?.of(screen.width), h = height?.of(screen.height)
        switch (w, h) {
        case (let known?, nil): h = known * aspectHeight / aspectWidth
        case (nil, let known?): w = known * aspectWidth / aspectHeight
        case (nil, nil): (w, h) = (aspectWidth, aspectHeight)
        default: break
        }
        var size = PixelSize(width: max(w ?? aspectWidth, 1), height: max(h ?? aspectHeight, 1))
        if size.width > screen.width || size.height > screen.height {
            size = size.width * screen.height > screen.width * size.height
                ? PixelSize(width: screen.width, height: max(1, size.height * screen.width / size.width))
                : PixelSize(width: max(1, size.width * screen.height / size.height), height: screen.height)
        }
        func place(_ offset: Offset?, _ extent: Int, _ whole: Int) -> Int {
            guard let offset else { return max(0, (whole - extent) / 2) }
            // A percentage places the window within the room it leaves, as mpv does.
            let distance = switch offset.length {
            case .pixels(let n): n
            case .percent(let n): (whole - extent) * n / 100
            }
            return offset.fromFarEdge ? whole - extent - distance : distance
        }
        return PixelRect(x: place(x, size.width, screen.width), y: place(y, size.height, screen.height), width: size.width, height: size.height)
    }
}
