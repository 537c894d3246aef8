import Testing

@testable import StreamPlaylists

@Suite struct DecimalTextTests {
    @Test(
        "Decimal integers are parsed, and fractions are ignored",
        arguments: [("0", 0), ("007", 7), ("1280000", 1_280_000), ("3.9", 3), ("9223372036854775807", Int.max)])
    func decimalIntegersAreParsed(_ text: String, _ expected: Int) {
        #expect(DecimalText.integer(text.utf8) == expected)
    }

    @Test(
        "Text that is not a number, or too large, is rejected",
        arguments: ["", ".", "-1", "+1", "1e3", " 1", "1 ", "0x10", "nan", "inf", "1.2.3", "9223372036854775808", "٣"])
    func invalidIntegersAreRejected(_ text: String) { #expect(DecimalText.integer(text.utf8) == nil) }

    @Test(
        "Seconds become nanoseconds without rounding errors",
        arguments: [
            ("9.009", 9_009_000_000), ("10", 10_000_000_000), (".5", 500_000_000), ("2.", 2_000_000_000),
            ("0.0333670009", 33_367_000), ("0.1", 100_000_000), ("9.9766", 9_976_600_000),
            ("9223372036.854775807", Int64.max), ("1.00000000000000000000000000000000000001", 1_000_000_000),
        ])
    func secondsAreParsedExactly(_ text: String, _ expected: Int64) {
        #expect(DecimalText.billionths(text.utf8) == expected)
    }

    @Test(
        "Seconds outside the range of nanoseconds are rejected",
        arguments: ["9223372036.854775808", "9223372037", "1e30", "1000000000000000000000", "-1", "NaN"])
    func unrepresentableSecondsAreRejected(_ text: String) { #expect(DecimalText.billionths(text.utf8) == nil) }

    @Test("A signed number may have one sign")
    func signedNumberMayHaveOneSign() {
        #expect(DecimalText.signedBillionths("-12.5".utf8) == -12_500_000_000)
        #expect(DecimalText.signedBillionths("+12.5".utf8) == 12_500_000_000)
        #expect(DecimalText.signedBillionths("--1".utf8) == nil)
        #expect(DecimalText.signedBillionths("-".utf8) == nil)
    }

    @Test("Hexadecimal numbers are padded with zeros on the left")
    func hexadecimalNumbersArePaddedFromTheLeft() {
        #expect(DecimalText.hexadecimal("0x1".utf8, count: 2) == [0, 1])
        #expect(DecimalText.hexadecimal("0XaBc".utf8, count: 2) == [0x0A, 0xBC])
        #expect(DecimalText.hexadecimal("0xFFFF".utf8, count: 2) == [255, 255])
        for text in ["", "0", "0x", "x1", "0x12345", "0xG", "12", "0x\u{FF11}"] {
            #expect(DecimalText.hexadecimal(text.utf8, count: 2) == nil)
        }
    }
}
