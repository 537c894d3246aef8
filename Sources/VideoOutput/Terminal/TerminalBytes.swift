/// A buffer that collects bytes for a terminal.
struct TerminalBytes {
    /// The collected bytes.
    private(set) var bytes: [UInt8] = []

    /// Creates an empty buffer.
    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count }
    /// Allocates memory for `count` more bytes.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }
    /// Appends a text.
    mutating func add(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
    mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }
    mutating func add(_ newBytes: [UInt8]) { bytes.append(contentsOf: newBytes) }
    mutating func add(_ newBytes: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: newBytes) }
    mutating func add(_ other: TerminalBytes) { bytes.append(contentsOf: other.bytes) }
    mutating func add(_ byte: UInt8) { bytes.append(byte) }
    mutating func add(_ first: UInt8, _ second: UInt8) {
        bytes.append(first)
        bytes.append(second)
    }

    /// Appends `count` bytes that `fill` writes; it must write all of them.
    mutating func addUninitialised(_ count: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        let chunk = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialised in
            fill(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
            initialised = count
        }
        bytes.append(contentsOf: chunk)
    }

    /// Appends a number from 0 to 9999 in decimal digits.
    mutating func add(number: Int) {
        if number >= 1000 { bytes.append(UInt8(48 + number / 1000 % 10)) }
        if number >= 100 { bytes.append(UInt8(48 + number / 100 % 10)) }
        if number >= 10 { bytes.append(UInt8(48 + number / 10 % 10)) }
        bytes.append(UInt8(48 + number % 10))
    }

    /// Appends a scalar in UTF-8, or a replacement character if `value` is not a scalar.
    mutating func add(scalar value: UInt32) {
        if value < 0x80 {
            bytes.append(UInt8(value))
        } else {
            let scalar = Unicode.Scalar(value) ?? "\u{fffd}"
            for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { bytes.append(unit) }
        }
    }

    /// Appends the sequence that moves the cursor to a cell; column and row count from 0.
    mutating func moveCursor(x: Int, y: Int) {
        add(0x1b, 0x5b)
        add(number: y + 1)
        add(0x3b)
        add(number: x + 1)
        add(0x48)
    }

    /// Appends the parameters that select a colour, without `CSI` and `m`.
    mutating func add(colour: UInt32, _ colours: TerminalColours, isBackground: Bool) {
        if colour == TerminalCell.defaultColour { return add(number: isBackground ? 49 : 39) }
        switch colours {
        case .direct:
            add(isBackground ? "48;2;" as StaticString : "38;2;")
            add(number: Int(colour >> 16 & 255))
            add(0x3b)
            add(number: Int(colour >> 8 & 255))
            add(0x3b)
            add(number: Int(colour & 255))
        case .indexed256:
            add(isBackground ? "48;5;" as StaticString : "38;5;")
            add(number: Int(colour & 255))
        case .indexed16:
            let colourCode = (isBackground ? 40 : 30) + (colour > 7 ? 60 : 0)
            add(number: colourCode + Int(colour & 7))
        }
    }
}
