/// A model of a terminal screen that tracks which of two programs wrote each cell: the player or the compositor.
///
/// The player draws on the whole terminal; the compositor draws the Picture-in-Picture window in a corner. The
/// compositor saves the cursor (DECSC) before it draws and restores the cursor (DECRC) afterwards, so all bytes in
/// between are the compositor's, and all other bytes are the player's. The model supports only the escape sequences
/// that these two programs write.
package struct TerminalModel: Sendable {
    /// The position of a character cell: column and row, from 0 at the upper left.
    package struct Cell: Hashable, Sendable {
        package var x: Int
        package var y: Int
    }

    /// The character and the colours (0xRRGGBB) of a terminal cell.
    package struct Content: Equatable, Sendable {
        package var scalar: Unicode.Scalar = " "
        package var foreground: UInt32 = 0xffffff
        package var background: UInt32 = 0
    }

    /// The state of the parser: plain text (`ground`), or the part of an escape sequence that the next byte belongs to.
    private enum ParserState { case ground, escape, control, string, stringEscape }

    package private(set) var columns: Int
    package private(set) var rows: Int
    /// The content of all cells of the screen, row by row.
    private var contents: [Content]
    /// The colours in which the next character is written.
    private var pen = Content()
    private var cursor = Cell(x: 0, y: 0)
    /// The cursor and colours that the compositor saved with DECSC; nil after DECRC. Not nil while the compositor
    /// writes.
    private var savedState: (cursor: Cell, pen: Content)?
    private var parserState = ParserState.ground
    /// The bytes received so far of a control sequence that is not complete yet, without the leading `ESC [`.
    private var controlSequence: [UInt8] = []
    /// The UTF-8 bytes received so far of a character that is not complete yet.
    private var incompleteCharacter: [UInt8] = []

    /// The cells that the compositor has written since the last call of ``forgetWriters()``.
    package private(set) var compositorCells: Set<Cell> = []
    /// The cells that the player has written between two pictures of the compositor, since the last call of
    /// ``forgetWriters()``.
    package private(set) var playerCells: Set<Cell> = []
    /// The number of cells that both the compositor and the player have written; 0 if their areas do not overlap.
    package var sharedCellCount: Int { compositorCells.intersection(playerCells).count }
    /// The cells that the player has written since the compositor's last picture.
    private var playerCellsSincePicture: Set<Cell> = []
    /// Whether a program has begun but not ended a synchronized update (terminal mode 2026), so that the picture on the
    /// screen is incomplete.
    package private(set) var isInSynchronizedUpdate = false
    /// The number of pictures that the compositor has drawn since the last call of ``forgetWriters()``.
    package private(set) var compositorPictureCount = 0
    /// The bounding boxes of the pictures that the compositor has drawn completely since the last call of
    /// ``forgetWriters()``.
    package private(set) var pictureAreas: [Window.Area] = []
    /// The cells that the compositor has written since it began its newest picture.
    private var pictureCells: Set<Cell> = []
    /// Descriptions of faults in the bytes written to the terminal: truncated escape sequences and characters, DECSC
    /// without DECRC and the reverse, and escape sequences that the model does not support.
    package private(set) var faults: [String] = []

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        contents = Array(repeating: Content(), count: columns * rows)
    }

    /// Clears the screen, sets its size in cells and forgets which program wrote which cell.
    package mutating func resize(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        contents = Array(repeating: Content(), count: columns * rows)
        forgetWriters()
    }

    /// Forgets which cells the compositor and the player have written, and resets ``compositorPictureCount``.
    package mutating func forgetWriters() {
        (compositorCells, playerCells, playerCellsSincePicture, compositorPictureCount) = ([], [], [], 0)
        (pictureAreas, pictureCells) = ([], [])
    }

    /// Forgets what ``forgetWriters()`` forgets, except for the compositor's cells in `area`.
    package mutating func forgetWriters(outside area: Window.Area) {
        let remainingCells = compositorCells.filter {
            area.x..<area.x + area.width ~= $0.x && area.y..<area.y + area.height ~= $0.y
        }
        forgetWriters()
        (compositorCells, compositorPictureCount) = (remainingCells, 1)
    }

    /// The content of the cell in column `x` and row `y`; blank outside the screen.
    package subscript(x: Int, y: Int) -> Content {
        x >= 0 && y >= 0 && x < columns && y < rows ? contents[y * columns + x] : Content()
    }

    /// The characters on the screen, one line per row.
    package var text: String {
        (0..<rows).map { y in String(String.UnicodeScalarView((0..<columns).map { self[$0, y].scalar })) }.joined(
            separator: "\n")
    }

    // MARK: Parsing of the terminal output

    /// Processes bytes that the programs have written to the terminal.
    package mutating func write(_ bytes: some Sequence<UInt8>) { for byte in bytes { write(byte) } }

    private mutating func write(_ byte: UInt8) {
        // The byte CAN cancels an incomplete escape sequence. The player sends CAN after the compositor has exited in
        // the middle of a sequence.
        if byte == 0x18 { return (parserState, controlSequence, incompleteCharacter) = (.ground, [], []) }
        switch parserState {
        case .ground where byte == 0x1b:
            if !incompleteCharacter.isEmpty { recordFault("a character was cut") }
            (parserState, incompleteCharacter) = (.escape, [])
        case .ground: processText(byte)
        case .escape: processEscape(byte)
        case .control where byte == 0x1b:
            recordFault("a sequence was cut after \(String(decoding: controlSequence, as: UTF8.self))")
            parserState = .escape
        case .control:
            if 0x40...0x7e ~= byte {
                parserState = .ground
                performControlSequence(byte)
            } else {
                controlSequence.append(byte)
            }
        case .string: if byte == 0x1b { parserState = .stringEscape } else if byte == 0x07 { parserState = .ground }
        case .stringEscape: parserState = byte == 0x5c ? .ground : .string
        }
    }

    /// Adds a description to ``faults``, which contains at most 20.
    private mutating func recordFault(_ text: String) { if faults.count < 20 { faults.append(text) } }

    /// Processes a byte of plain text.
    private mutating func processText(_ byte: UInt8) {
        if incompleteCharacter.isEmpty, byte < 0x20 { return }
        incompleteCharacter.append(byte)
        let firstByte = incompleteCharacter[0]
        let length = firstByte < 0x80 ? 1 : firstByte < 0xe0 ? 2 : firstByte < 0xf0 ? 3 : 4
        guard incompleteCharacter.count == length else { return }
        writeCharacter(String(decoding: incompleteCharacter, as: UTF8.self).unicodeScalars.first ?? " ")
        incompleteCharacter = []
    }

    /// Processes the byte that follows ESC.
    private mutating func processEscape(_ byte: UInt8) {
        parserState = .ground
        switch byte {
        case UInt8(ascii: "["): (parserState, controlSequence) = (.control, [])
        case UInt8(ascii: "]"), UInt8(ascii: "_"), UInt8(ascii: "P"): parserState = .string
        case UInt8(ascii: "7"):
            if savedState != nil { recordFault("saved twice") }
            savedState = (cursor, pen)
            if compositorPictureCount > 0 { playerCells.formUnion(playerCellsSincePicture) }
            playerCellsSincePicture = []
            compositorPictureCount += 1
            pictureCells = []
        case UInt8(ascii: "8"):
            if let savedState { (cursor, pen) = savedState } else { recordFault("restored without being saved") }
            savedState = nil
            if let area = Self.boundingBox(of: pictureCells) { pictureAreas.append(area) }
        case UInt8(ascii: "\\"): break
        default: recordFault("ESC \(byte)")
        }
    }

    /// Performs the control sequence (CSI) that ends with the byte `finalByte`.
    private mutating func performControlSequence(_ finalByte: UInt8) {
        let isPrivate = controlSequence.first == UInt8(ascii: "?")
        let numbers = controlSequence.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
        switch finalByte {
        case UInt8(ascii: "H"):
            cursor = Cell(x: max(0, (numbers.count > 1 ? numbers[1] : 1) - 1), y: max(0, (numbers.first ?? 1) - 1))
        case UInt8(ascii: "m"): setColours(numbers)
        case UInt8(ascii: "J"): for y in 0..<rows { for x in 0..<columns { setCell(x, y, Content()) } }
        case UInt8(ascii: "K"): for x in 0..<columns { setCell(x, cursor.y, Content()) }
        case UInt8(ascii: "h"), UInt8(ascii: "l"):
            if !isPrivate { recordFault("mode \(numbers)") }
            if controlSequence.elementsEqual("?2026".utf8) { isInSynchronizedUpdate = finalByte == UInt8(ascii: "h") }
        case UInt8(ascii: "t"), UInt8(ascii: "c"), UInt8(ascii: "S"): break
        default: recordFault("CSI \(String(decoding: controlSequence + [finalByte], as: UTF8.self))")
        }
    }

    /// Sets the colours of the next characters to the parameters of a colour sequence (SGR): 0 resets all attributes,
    /// 38 and 48 begin a foreground or background colour, 39 and 49 select the default colours. The model ignores the
    /// 16 basic colours, and records indexed colours as a fault.
    private mutating func setColours(_ numbers: [Int]) {
        var codes = numbers[...]
        while let code = codes.popFirst() {
            switch code {
            case 0: pen = Content()
            case 38, 48:
                guard codes.count >= 4, codes.first == 2 else { return recordFault("colours \(numbers)") }
                let components = codes.dropFirst().prefix(3).map { UInt32($0 & 255) }
                let colour = components[0] << 16 | components[1] << 8 | components[2]
                if code == 38 { pen.foreground = colour } else { pen.background = colour }
                codes = codes.dropFirst(4)
            case 39: pen.foreground = 0xffffff
            case 49: pen.background = 0
            case 30...37, 40...47, 90...97, 100...107: break
            default: recordFault("colours \(numbers)")
            }
        }
    }

    /// Writes a character at the cursor and advances the cursor.
    private mutating func writeCharacter(_ scalar: Unicode.Scalar) {
        setCell(cursor.x, cursor.y, Content(scalar: scalar, foreground: pen.foreground, background: pen.background))
        // A character in the last column does not move the cursor to the next row.
        cursor.x = min(cursor.x + 1, columns - 1)
    }

    /// Changes a cell and records which program wrote the cell.
    private mutating func setCell(_ x: Int, _ y: Int, _ content: Content) {
        if savedState == nil {
            playerCellsSincePicture.insert(Cell(x: x, y: y))
        } else {
            compositorCells.insert(Cell(x: x, y: y))
            pictureCells.insert(Cell(x: x, y: y))
        }
        if x < columns, y < rows { contents[y * columns + x] = content }
    }
}

extension TerminalModel {
    /// The bounding box, in cells, of the cells that the compositor has written; nil if it has written no cells.
    package var compositorArea: Window.Area? { Self.boundingBox(of: compositorCells) }

    /// Returns the bounding box of `cells`; nil if there are none.
    private static func boundingBox(of cells: Set<Cell>) -> Window.Area? {
        let columns = cells.map(\.x), rows = cells.map(\.y)
        guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max() else {
            return nil
        }
        return Window.Area(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }

    /// Returns the number of the test clip's frame that is drawn in the centre of `area`, which is in cells; nil if no
    /// frame number is readable there.
    ///
    /// - Parameter cellAspect: the height of a cell divided by its width.
    package func frameNumber(in area: Window.Area, cellAspect: Double = 2) -> Int? {
        if isInSynchronizedUpdate { return nil }
        // The width and height of the frame, in units of the width of a cell.
        var width = Double(area.width), height = Double(area.height) * cellAspect
        if width > height * FrameCode.aspect {
            width = height * FrameCode.aspect
        } else {
            height = width / FrameCode.aspect
        }
        let left = Double(area.x) + (Double(area.width) - width) / 2
        let top = Double(area.y) * cellAspect + (Double(area.height) * cellAspect - height) / 2
        let brightnessRows = [4.5, 5.5].map { row in
            (0..<FrameCode.columns).map { column in
                brightness(
                    x: left + (Double(column) + 0.5) / Double(FrameCode.columns) * width,
                    y: (top + row / Double(FrameCode.rows) * height) / cellAspect)
            }
        }
        return FrameCode.number(bits: brightnessRows[0], complement: brightnessRows[1])
    }

    /// Returns the green component of the colour at (`x`, `y`), in fractions of cells from the upper left of the
    /// screen. A block element divides a cell into quarters with two colours.
    private func brightness(x: Double, y: Double) -> UInt8 {
        let content = self[Int(x), Int(y)]
        let quarter = (x - x.rounded(.down) < 0.5 ? 1 : 2) << (y - y.rounded(.down) < 0.5 ? 0 : 2)
        let isForeground = (Self.filledQuarters[content.scalar] ?? 0) & quarter != 0
        return UInt8((isForeground ? content.foreground : content.background) >> 8 & 255)
    }

    /// The filled quarters of a cell for each Unicode block element (such as ▙), as bits: 1 upper left, 2 upper right,
    /// 4 lower left, 8 lower right.
    private static let filledQuarters: [Unicode.Scalar: Int] = [
        "\u{2598}": 1, "\u{259d}": 2, "\u{2580}": 3, "\u{2596}": 4, "\u{258c}": 5, "\u{259e}": 6, "\u{259b}": 7,
    ]
}
