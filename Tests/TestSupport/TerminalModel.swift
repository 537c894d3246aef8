/// What stands on a terminal after all that was written to it, and which of two writers wrote it: the guest's bytes
/// stand between a saved and a restored cursor (DECSC, DECRC). Understands what the player writes and no more.
package struct TerminalModel: Sendable {
    package struct Cell: Hashable, Sendable {
        package var x: Int
        package var y: Int
    }

    package struct Content: Equatable, Sendable {
        package var scalar: Unicode.Scalar = " "
        package var foreground: UInt32 = 0xffffff
        package var background: UInt32 = 0
    }

    private enum Mode { case ground, escape, control, string, stringEscape }

    package private(set) var columns: Int
    package private(set) var rows: Int
    private var contents: [Content]
    private var pen = Content()
    private var cursor = Cell(x: 0, y: 0)
    private var saved: (cursor: Cell, pen: Content)?
    private var mode = Mode.ground
    private var sequence: [UInt8] = []
    private var utf8: [UInt8] = []

    /// Cells that the guest wrote since ``forgetWriters()``.
    package private(set) var guestCells: Set<Cell> = []
    /// Cells that the terminal's owner wrote between two of the guest's pictures.
    package private(set) var ownerCells: Set<Cell> = []
    /// Cells that both wrote.
    package var sharedCells: Int { guestCells.intersection(ownerCells).count }
    private var ownerSincePicture: Set<Cell> = []
    /// A picture has been begun and not ended: what stands there is a part of it.
    package private(set) var isUpdating = false
    /// The guest's pictures.
    package private(set) var guestPictures = 0
    /// Sequences and characters that another one began in the middle of, what came between save and restore and is
    /// none, and what is not understood.
    package private(set) var faults: [String] = []

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        contents = Array(repeating: Content(), count: columns * rows)
    }

    package mutating func resize(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        contents = Array(repeating: Content(), count: columns * rows)
        forgetWriters()
    }

    package mutating func forgetWriters() {
        (guestCells, ownerCells, ownerSincePicture, guestPictures) = ([], [], [], 0)
    }

    package subscript(x: Int, y: Int) -> Content {
        x >= 0 && y >= 0 && x < columns && y < rows ? contents[y * columns + x] : Content()
    }

    package var text: String {
        (0..<rows).map { y in String(String.UnicodeScalarView((0..<columns).map { self[$0, y].scalar })) }.joined(
            separator: "\n")
    }

    // MARK: parsing

    package mutating func write(_ bytes: some Sequence<UInt8>) { for byte in bytes { write(byte) } }

    private mutating func write(_ byte: UInt8) {
        // What was begun ends, as it should after another writer's death.
        if byte == 0x18 { return (mode, sequence, utf8) = (.ground, [], []) }
        switch mode {
        case .ground where byte == 0x1b:
            if !utf8.isEmpty { fault("a character was cut") }
            (mode, utf8) = (.escape, [])
        case .ground: ground(byte)
        case .escape: escape(byte)
        case .control where byte == 0x1b:
            fault("a sequence was cut after \(String(decoding: sequence, as: UTF8.self))")
            mode = .escape
        case .control:
            if 0x40...0x7e ~= byte {
                mode = .ground
                control(byte)
            } else {
                sequence.append(byte)
            }
        case .string: if byte == 0x1b { mode = .stringEscape } else if byte == 0x07 { mode = .ground }
        case .stringEscape: mode = byte == 0x5c ? .ground : .string
        }
    }

    private mutating func fault(_ text: String) { if faults.count < 20 { faults.append(text) } }

    private mutating func ground(_ byte: UInt8) {
        if utf8.isEmpty, byte < 0x20 { return }
        utf8.append(byte)
        let length = utf8[0] < 0x80 ? 1 : utf8[0] < 0xe0 ? 2 : utf8[0] < 0xf0 ? 3 : 4
        guard utf8.count == length else { return }
        put(String(decoding: utf8, as: UTF8.self).unicodeScalars.first ?? " ")
        utf8 = []
    }

    private mutating func escape(_ byte: UInt8) {
        mode = .ground
        switch byte {
        case UInt8(ascii: "["): (mode, sequence) = (.control, [])
        case UInt8(ascii: "]"), UInt8(ascii: "_"), UInt8(ascii: "P"): mode = .string
        case UInt8(ascii: "7"):
            if saved != nil { fault("saved twice") }
            saved = (cursor, pen)
            if guestPictures > 0 { ownerCells.formUnion(ownerSincePicture) }
            ownerSincePicture = []
            guestPictures += 1
        case UInt8(ascii: "8"):
            if let saved { (cursor, pen) = saved } else { fault("restored without being saved") }
            saved = nil
        case UInt8(ascii: "\\"): break
        default: fault("ESC \(byte)")
        }
    }

    private mutating func control(_ final: UInt8) {
        let isPrivate = sequence.first == UInt8(ascii: "?")
        let numbers = sequence.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
        switch final {
        case UInt8(ascii: "H"):
            cursor = Cell(x: max(0, (numbers.count > 1 ? numbers[1] : 1) - 1), y: max(0, (numbers.first ?? 1) - 1))
        case UInt8(ascii: "m"): colours(numbers)
        case UInt8(ascii: "J"): for y in 0..<rows { for x in 0..<columns { set(x, y, Content()) } }
        case UInt8(ascii: "K"): for x in 0..<columns { set(x, cursor.y, Content()) }
        case UInt8(ascii: "h"), UInt8(ascii: "l"):
            if !isPrivate { fault("mode \(numbers)") }
            if sequence.elementsEqual("?2026".utf8) { isUpdating = final == UInt8(ascii: "h") }
        case UInt8(ascii: "t"), UInt8(ascii: "c"): break
        default: fault("CSI \(String(decoding: sequence + [final], as: UTF8.self))")
        }
    }

    private mutating func colours(_ numbers: [Int]) {
        var rest = numbers[...]
        while let code = rest.popFirst() {
            switch code {
            case 0: pen = Content()
            case 38, 48:
                guard rest.count >= 4, rest.first == 2 else { return fault("colours \(numbers)") }
                let values = rest.dropFirst().prefix(3).map { UInt32($0 & 255) }
                let colour = values[0] << 16 | values[1] << 8 | values[2]
                if code == 38 { pen.foreground = colour } else { pen.background = colour }
                rest = rest.dropFirst(4)
            case 39: pen.foreground = 0xffffff
            case 49: pen.background = 0
            case 30...37, 40...47, 90...97, 100...107: break
            default: fault("colours \(numbers)")
            }
        }
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        set(cursor.x, cursor.y, Content(scalar: scalar, foreground: pen.foreground, background: pen.background))
        // The last column does not wrap.
        cursor.x = min(cursor.x + 1, columns - 1)
    }

    private mutating func set(_ x: Int, _ y: Int, _ content: Content) {
        if saved == nil { ownerSincePicture.insert(Cell(x: x, y: y)) } else { guestCells.insert(Cell(x: x, y: y)) }
        if x < columns, y < rows { contents[y * columns + x] = content }
    }
}

extension TerminalModel {
    /// Around all that the guest wrote; nil when it wrote nothing.
    package var guestArea: Window.Area? {
        let xs = guestCells.map(\.x), ys = guestCells.map(\.y)
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return nil }
        return Window.Area(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }

    /// The number of the frame that is drawn in an area of cells, in its middle; nil when none can be read there.
    package func frameNumber(in area: Window.Area, cellAspect: Double = 2) -> Int? {
        if isUpdating { return nil }
        // In units of a cell's width.
        var width = Double(area.width), height = Double(area.height) * cellAspect
        if width > height * FrameCode.aspect {
            width = height * FrameCode.aspect
        } else {
            height = width / FrameCode.aspect
        }
        let left = Double(area.x) + (Double(area.width) - width) / 2
        let top = Double(area.y) * cellAspect + (Double(area.height) * cellAspect - height) / 2
        let lines = [4.5, 5.5].map { line in
            (0..<FrameCode.columns).map { column in
                brightness(
                    x: left + (Double(column) + 0.5) / Double(FrameCode.columns) * width,
                    y: (top + line / Double(FrameCode.rows) * height) / cellAspect)
            }
        }
        return FrameCode.number(bits: lines[0], complement: lines[1])
    }

    /// Green of a quarter of a cell.
    private func brightness(x: Double, y: Double) -> UInt8 {
        let content = self[Int(x), Int(y)]
        let quarter = (x - x.rounded(.down) < 0.5 ? 1 : 2) << (y - y.rounded(.down) < 0.5 ? 0 : 2)
        let isForeground = (Self.quarters[content.scalar] ?? 0) & quarter != 0
        return UInt8((isForeground ? content.foreground : content.background) >> 8 & 255)
    }

    /// Bits: upper left, upper right, lower left, lower right.
    private static let quarters: [Unicode.Scalar: Int] = [
        "\u{2598}": 1, "\u{259d}": 2, "\u{2580}": 3, "\u{2596}": 4, "\u{258c}": 5, "\u{259e}": 6, "\u{259b}": 7,
    ]
}
