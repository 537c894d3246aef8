import Testing

@testable import MediaPipeline

@Suite struct TextEncodingTests {
    /// Returns the text of a subtitle file that consists of `bytes`.
    private func text(_ bytes: [UInt8]) throws -> String {
        String(decoding: try TextEncoding.utf8(bytes), as: UTF8.self)
    }

    @Test func byteOrderMarkOfUTF8IsRemoved() throws {
        #expect(try text(Array("Grüße 日本".utf8)) == "Grüße 日本")
        #expect(try text([0xEF, 0xBB, 0xBF] + Array("x".utf8)) == "x")
        #expect(try text([]) == "")
    }

    @Test func utf16IsDetectedByItsByteOrderMark() throws {
        #expect(try text([0xFF, 0xFE] + "aß€".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }) == "aß€")
        #expect(try text([0xFE, 0xFF] + "aß€".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }) == "aß€")
    }

    @Test func otherCharacterSetsAreDetected() throws {
        // The bytes are the sentence in windows-1251.
        let sentence = "Съешь же ещё этих мягких французских булок, да выпей чаю"
        let bytes: [UInt8] = sentence.unicodeScalars.map { scalar in
            switch scalar.value {
            case 0x410...0x44F: UInt8(scalar.value - 0x410 + 0xC0)
            case 0x451: 0xB8
            default: UInt8(truncatingIfNeeded: scalar.value)
            }
        }
        #expect(try text(bytes) == sentence)
    }

    @Test func aChosenCharacterSetAppliesToTextThatIsNotUTF8() throws {
        let bytes: [UInt8] = [0xC4, 0xE0]
        #expect(try TextEncoding.utf8(bytes, .fallback("cp1251")) == Array("Да".utf8))
        #expect(try TextEncoding.utf8(bytes, .fallback("latin1")) == Array("Äà".utf8))
        let text = Array("Да".utf8)
        #expect(try TextEncoding.utf8(text, .fallback("cp1251")) == text)
        #expect(try TextEncoding.utf8(text, .forced("cp1251")) == Array("Р”Р°".utf8))
        #expect(try TextEncoding.utf8([0xEF, 0xBB, 0xBF] + text, .forced("utf-8")) == text)
        #expect(SubtitleCharacterSet.fallback("cp1251").isSupported && SubtitleCharacterSet.automatic.isSupported)
        #expect(!SubtitleCharacterSet.forced("no-such-set").isSupported)
        #expect(throws: MediaError.self) { try TextEncoding.utf8(bytes, .fallback("no-such-set")) }
    }

    @Test func randomBytesAreConvertedWithoutAnError() throws {
        for seed in 0..<50 {
            _ = try text((0..<400).map { UInt8(truncatingIfNeeded: ($0 &* 7919 &+ seed &* 104_729) >> 3) | 0x80 })
        }
    }
}
