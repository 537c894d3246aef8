/// A control sequence (ECMA-48) without its introducer `CSI`: a key, or a reply of the terminal.
struct ControlSequence {
    /// The private marker: the first character if it is `?`, `>`, `<` or `=`, otherwise nil. Sequences with a marker
    /// are not keys.
    private let marker: UInt8?
    /// Whether the sequence has intermediate bytes. Such sequences are not keys.
    private let hasIntermediates: Bool
    /// The numeric parameters; 0 for an empty parameter.
    private let parameters: [Int]
    /// The last byte, which determines the sequence's meaning.
    private let finalByte: UInt8

    /// Parses parameters, intermediates and the final byte; `bytes` is not empty.
    init(_ bytes: ArraySlice<UInt8>) {
        var remainingBytes = bytes
        finalByte = remainingBytes.popLast() ?? 0
        if let firstByte = remainingBytes.first, (0x3c...0x3f).contains(firstByte) {
            marker = firstByte
            remainingBytes = remainingBytes.dropFirst()
        } else {
            marker = nil
        }
        hasIntermediates = remainingBytes.contains { $0 < 0x30 }
        parameters = remainingBytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { field in
            // Sub-parameters after a colon only add details about the same key.
            let digits = field.prefix { (0x30...0x39).contains($0) }.prefix(9)
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
    }

    /// The reply of the terminal that the sequence represents; nil if it is not a known reply.
    var reply: TerminalReply? {
        if marker == UInt8(ascii: "?"), finalByte == UInt8(ascii: "c") { return .attributes(parameters) }
        // XTSMGRAPHICS: the item (1 colours, 2 sixel geometry), the status (0 success) and the values.
        if marker == UInt8(ascii: "?"), finalByte == UInt8(ascii: "S"), parameters.count >= 3, parameters[1] == 0 {
            if parameters[0] == 1 { return .sixelColourCount(parameters[2]) }
            if parameters[0] == 2, parameters.count == 4 {
                return .maximumSixelSize(width: parameters[2], height: parameters[3])
            }
        }
        if marker == nil, finalByte == UInt8(ascii: "t"), parameters.count == 3, parameters[0] == 6 {
            return .cellSize(width: parameters[2], height: parameters[1])
        }
        return nil
    }

    /// mpv's name of the key that the sequence represents; nil if it is not a key.
    var key: String? {
        guard marker == nil, !hasIntermediates else { return nil }
        let modifiers = parameters.count > 1 ? TerminalKeys.Modifiers(parameter: parameters[1]) : []
        if finalByte == UInt8(ascii: "u") {
            guard let code = parameters.first, code > 0, let scalar = Unicode.Scalar(UInt32(code)) else { return nil }
            return TerminalKeys.name(of: scalar, modifiers)
        }
        if finalByte == UInt8(ascii: "Z") { return modifiers.union(.shift).prefix + "TAB" }
        let name =
            finalByte == UInt8(ascii: "~")
            ? TerminalKeys.namesByNumber[parameters.first ?? 0] : TerminalKeys.namesByLetter[finalByte]
        // F3 with modifiers has the same form as a cursor position report. Only sequences for row 1 count as F3.
        if finalByte == UInt8(ascii: "R"), parameters.count > 1, parameters[0] > 1 { return nil }
        return name.map { modifiers.prefix + $0 }
    }
}
