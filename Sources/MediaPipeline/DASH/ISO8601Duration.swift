import StreamPlaylists

/// Reads durations in the form of ISO 8601, such as `PT1H2M3.5S`, as XML Schema restricts them.
enum ISO8601Duration {
    /// Reads a duration. A year counts as 365 days and a month as 30 days, because a media duration has no calendar
    /// date.
    ///
    /// - Returns: Nanoseconds; nil if the text is malformed, negative or out of range.
    static func nanoseconds(_ text: String) -> Int64? {
        var remainingBytes = Array(text.utf8)[...]
        guard remainingBytes.popFirst() == UInt8(ascii: "P") else { return nil }
        var totalNanoseconds: Int64 = 0, isTimePart = false, lacksValue = true
        var units = dateUnits
        while let byte = remainingBytes.first {
            if byte == UInt8(ascii: "T") {
                guard !isTimePart else { return nil }
                (isTimePart, lacksValue, units) = (true, true, timeUnits)
                remainingBytes = remainingBytes.dropFirst()
                continue
            }
            let numberText = remainingBytes.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
            guard let unit = remainingBytes.dropFirst(numberText.count).first,
                let value = DecimalText.billionths(numberText)
            else { return nil }
            remainingBytes = remainingBytes.dropFirst(numberText.count + 1)
            // ISO 8601 orders units from the largest to the smallest, so only units after the previous one are
            // accepted.
            guard let index = units.firstIndex(where: { $0.letter == unit }) else { return nil }
            let (product, productOverflows) = value.multipliedReportingOverflow(by: units[index].seconds)
            let (sum, sumOverflows) = totalNanoseconds.addingReportingOverflow(product)
            guard !productOverflows, !sumOverflows else { return nil }
            (totalNanoseconds, lacksValue) = (sum, false)
            units = Array(units[(index + 1)...])
        }
        return lacksValue ? nil : totalNanoseconds
    }

    private static let dateUnits: [(letter: UInt8, seconds: Int64)] = [
        (UInt8(ascii: "Y"), 31_536_000), (UInt8(ascii: "M"), 2_592_000), (UInt8(ascii: "D"), 86_400),
    ]
    private static let timeUnits: [(letter: UInt8, seconds: Int64)] = [
        (UInt8(ascii: "H"), 3600), (UInt8(ascii: "M"), 60), (UInt8(ascii: "S"), 1),
    ]
}
