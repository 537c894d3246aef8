/// Reads the numbers of a playlist (RFC 8216, section 4.2). The functions return nil for malformed and for too large
/// numbers.
package enum DecimalText {
    /// Reads a decimal integer. A fraction is cut off: some servers write a fraction where the RFC demands an integer.
    package static func integer(_ text: some Collection<UInt8>) -> Int? {
        guard let (whole, _) = split(text) else { return nil }
        return magnitude(whole)
    }

    /// Returns an unsigned decimal number multiplied by 10⁹: seconds as nanoseconds. Digits after the ninth decimal
    /// place are cut off.
    package static func billionths(_ text: some Collection<UInt8>) -> Int64? {
        guard let (wholePart, fraction) = split(text), let units = magnitude(wholePart) else { return nil }
        let digits = fraction.prefix(9)
        var fractionBillionths = magnitude(digits) ?? 0
        for _ in digits.count..<9 { fractionBillionths *= 10 }
        let (product, productOverflows) = Int64(units).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflows) = product.addingReportingOverflow(Int64(fractionBillionths))
        return productOverflows || sumOverflows ? nil : sum
    }

    /// Returns a decimal number with an optional sign, multiplied by 10⁹.
    package static func signedBillionths(_ text: some Collection<UInt8>) -> Int64? {
        switch text.first {
        case UInt8(ascii: "-"): billionths(text.dropFirst()).map { -$0 }
        case UInt8(ascii: "+"): billionths(text.dropFirst())
        default: billionths(text)
        }
    }

    /// Returns the `count` bytes of a hexadecimal number such as `0x1F`, padded with zeros at the front.
    package static func hexadecimal(_ text: some Collection<UInt8>, count: Int) -> [UInt8]? {
        let zero = UInt8(ascii: "0"), letterX = UInt8(ascii: "x")
        guard text.first == zero, let secondCharacter = text.dropFirst().first, secondCharacter | 0x20 == letterX else {
            return nil
        }
        let digits = text.dropFirst(2)
        guard !digits.isEmpty, digits.count <= count * 2 else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        for (index, digit) in digits.reversed().enumerated() {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue, digit < 0x80 else { return nil }
            bytes[count - 1 - index / 2] |= UInt8(value) << (index % 2 == 0 ? 0 : 4)
        }
        return bytes
    }

    /// Splits a decimal number at its point into its whole digits and its fraction digits; nil if the text contains
    /// another character or no digit.
    private static func split<Text: Collection<UInt8>>(
        _ text: Text
    ) -> (whole: Text.SubSequence, fraction: Text.SubSequence)? {
        let pointIndex = text.firstIndex(of: UInt8(ascii: ".")) ?? text.endIndex
        let wholePart = text[..<pointIndex], fraction = text[pointIndex...].dropFirst()
        guard !wholePart.isEmpty || !fraction.isEmpty, wholePart.allSatisfy(isDigit), fraction.allSatisfy(isDigit)
        else {
            return nil
        }
        return (wholePart, fraction)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Returns the value of decimal digits; 0 for an empty text, nil if the value is too large.
    private static func magnitude(_ digits: some Collection<UInt8>) -> Int? {
        var result = 0
        for digit in digits {
            let (product, productOverflows) = result.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflows) = product.addingReportingOverflow(Int(digit) - 0x30)
            guard !productOverflows, !sumOverflows else { return nil }
            result = sum
        }
        return result
    }
}
