/// Reads durations in the form of ISO 8601, such as `PT1H2M3.5S`, as XML Schema restricts them.
enum ISO8601Duration {
    /// Reads a duration. A year counts as 365 days and a month as 30 days, because a media duration has no calendar
    /// date.
    ///
    /// - Returns: Nanoseconds; nil if the text is malformed, negative or out of range.
    static func nanoseconds(_ text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        guard rest.popFirst() == UInt8(ascii: "P") else { return nil }
        var total: Int64 = 0, isTime = false, isEmpty = true
        var units = dateUnits
        while let first = rest.first {
            if first == UInt8(ascii: "T") {
                guard !isTime else { return nil }
                (isTime, isEmpty, units) = (true, true, timeUnits)
                rest = rest.dropFirst()
                continue
            }
            let number = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
            guard let unit = rest.dropFirst(number.count).first, let value = DecimalText.billionths(number) else {
                return nil
            }
            rest = rest.dropFirst(number.count + 1)
            // ISO 8601 orders units from the largest to the smallest, so only units after the previous one are
            // accepted.
            guard let index = units.firstIndex(where: { $0.name == unit }) else { return nil }
            let (product, overflows) = value.multipliedReportingOverflow(by: units[index].seconds)
            let (sum, overflowsToo) = total.addingReportingOverflow(product)
            guard !overflows, !overflowsToo else { return nil }
            (total, isEmpty) = (sum, false)
            units = Array(units[(index + 1)...])
        }
        return isEmpty ? nil : total
    }

    private static let dateUnits: [(name: UInt8, seconds: Int64)] = [
        (UInt8(ascii: "Y"), 31_536_000), (UInt8(ascii: "M"), 2_592_000), (UInt8(ascii: "D"), 86_400),
    ]
    private static let timeUnits: [(name: UInt8, seconds: Int64)] = [
        (UInt8(ascii: "H"), 3600), (UInt8(ascii: "M"), 60), (UInt8(ascii: "S"), 1),
    ]
}
