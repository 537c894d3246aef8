/// The order of file names in which numbers count by their value: `film 2` precedes `film 10`.
enum NaturalOrder {
    /// Returns whether `left` precedes `right`. Letters are compared without case. Names that differ only in case or in
    /// leading zeros are ordered by their bytes.
    static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        var (rest, otherRest) = (left[...], right[...])
        while let byte = rest.first, let otherByte = otherRest.first {
            if isDigit(byte), isDigit(otherByte) {
                let number = takeNumber(&rest), otherNumber = takeNumber(&otherRest)
                // Without leading zeros, the longer number is the larger one.
                if number.count != otherNumber.count { return number.count < otherNumber.count }
                if !number.elementsEqual(otherNumber) { return number.lexicographicallyPrecedes(otherNumber) }
            } else {
                if lowercased(byte) != lowercased(otherByte) { return lowercased(byte) < lowercased(otherByte) }
                rest = rest.dropFirst()
                otherRest = otherRest.dropFirst()
            }
        }
        return rest.isEmpty && otherRest.isEmpty ? left.lexicographicallyPrecedes(right) : rest.isEmpty
    }

    /// Removes the digits at the start of `bytes` and returns them without leading zeros.
    private static func takeNumber(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = bytes.prefix(while: isDigit)
        bytes = bytes.dropFirst(digits.count)
        return digits.drop { $0 == UInt8(ascii: "0") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
    }
}
