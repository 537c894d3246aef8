import Testing

@testable import StreamPlaylists

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("%41%62", "Ab"), ("%C3%A4", "ä"), ("a+b", "a+b"), ("%", "%"), ("%4", "%4"), ("%%41", "%A"), ("%2541", "%41"),
        ("%4G%41", "%4GA"), ("", ""),
    ])
    func onlyCompleteEscapesAreDecoded(_ text: String, _ decoded: String) {
        #expect(PercentEncoding.decoded(text) == decoded)
    }

    @Test func everyByteCanBeEscaped() {
        let digits = Array("0123456789abcdefABCDEF")
        for first in digits {
            for second in digits {
                let value = UInt8(String([first, second]), radix: 16)
                #expect(PercentEncoding.decodedBytes("%\(first)\(second)") == value.map { [$0] })
            }
        }
    }
}
