/// A control sequence without its `CSI`: what key or what answer it is.
struct ControlSequence {
    /// `?`, `>`, `<` or `=`, which mark what is no key.
    private let marker: UInt8?
    private let hasIntermediates: Bool
    private let parameters: [Int]
    private let final: UInt8

    /// - Parameter bytes: parameters, intermediates and the final byte; not empty.
    init(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        final = rest.popLast() ?? 0
        if let first = rest.first, (0x3c...0x3f).contains(first) {
            marker = first
            rest = rest.dropFirst()
        } else {
            marker = nil
        }
        hasIntermediates = rest.contains { $0 < 0x30 }
        parameters = rest.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { part in
            // Sub-parameters after a colon say more about the same key.
            let digits = part.prefix { (0x30...0x39).contains($0) }.prefix(9)
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
    }

    var answer: TerminalAnswer? {
        if marker == UInt8(ascii: "?"), final == UInt8(ascii: "c") { return .attributes(parameters) }
        if marker == nil, final == UInt8(ascii: "t"), parameters.count == 3, parameters[0] == 6 {
            return .cellSize(width: parameters[2], height: parameters[1])
        }
        return nil
    }

    var key: String? {
        guard marker == nil, !hasIntermediates else { return nil }
        let modifiers = parameters.count > 1 ? TerminalKeys.Modifiers(parameter: parameters[1]) : []
        if final == UInt8(ascii: "u") {
            guard let code = parameters.first, code > 0, let scalar = Unicode.Scalar(UInt32(code)) else { return nil }
            return TerminalKeys.name(of: scalar, modifiers)
        }
        if final == UInt8(ascii: "Z") { return modifiers.union(.shift).prefix + "TAB" }
        let name =
            final == UInt8(ascii: "~") ? TerminalKeys.numbered[parameters.first ?? 0] : TerminalKeys.lettered[final]
        // F3 with modifiers looks like the answer to "where is the cursor": only one of row 1 is taken for it.
        if final == UInt8(ascii: "R"), parameters.count > 1, parameters[0] > 1 { return nil }
        return name.map { modifiers.prefix + $0 }
    }
}
