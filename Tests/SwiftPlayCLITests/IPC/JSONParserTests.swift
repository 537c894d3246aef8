import Testing

import struct TestSupport.SeededGenerator

@testable import SwiftPlayCLI

@Suite struct JSONParserTests {
    @Test(
        arguments: [
            ("null", .null), ("true", true), (" false ", false), ("0", 0), ("-12", -12), ("01", 1), ("1.5", 1.5),
            ("1.", 1.0),
            ("1e3", 1000.0), ("9223372036854775807", 9_223_372_036_854_775_807),
            ("9223372036854775808", 9223372036854775808.0),
            (#""a\"b\\\/\b\f\n\r\t\u00e9\ud83d\ude00\x41""#, "a\"b\\/\u{8}\u{c}\n\r\té😀A"),
            ("\"raw\ttab\"", "raw\ttab"),
            ("[]", []), ("[1,[2],]", [1, [2]]), ("{}", [:]), (#"{"a":1,b=[null],}"#, ["a": 1, "b": [.null]]),
            (#"{"a":1,"a":2}"#, ["a": 1]), (#"{"":1}"#, ["": 1]), ("1 trailing", 1),
        ] as [(String, JSONValue)])
    func validTextIsParsed(_ text: String, _ expected: JSONValue) {
        #expect(JSONParser.value(in: text.utf8) == expected)
    }

    @Test(arguments: [
        "", " ", "{", "[", "\"", "\"\\", "\"\\q\"", "\"\\u12\"", #""\ud800""#, #""\ud800\n""#, #""\ud800\u0041""#,
        "{,}", "{:1}", #"{"a" 1}"#,
        #"{"a":1 "b":2}"#, #"{"a":}"#, "[1 2]", "[,]", "-", "+1", ".5", "nan", "-nan", "inf", "-inf", "1e400", "1.5e",
        "tru", "'a'", "1x",
    ])
    func invalidTextIsRefused(_ text: String) {
        #expect(JSONParser.value(in: text.utf8) == nil)
    }

    @Test func nestingIsBounded() {
        func nestedArrays(_ depth: Int) -> [UInt8] {
            Array(repeating: UInt8(ascii: "["), count: depth) + Array(repeating: UInt8(ascii: "]"), count: depth)
        }
        #expect(JSONParser.value(in: nestedArrays(JSONParser.maximumDepth)) != nil)
        #expect(JSONParser.value(in: nestedArrays(JSONParser.maximumDepth + 1)) == nil)
        #expect(JSONParser.value(in: nestedArrays(500_000)) == nil)
    }

    @Test func invalidUTF8IsEncodedWithTheReplacementCharacter() throws {
        let value = try #require(JSONParser.value(in: [0x22, 0x61, 0xFF, 0x62, 0x22]))
        #expect(value == .undecodedString([0x61, 0xFF, 0x62]) && value == JSONParser.value(in: #""a\xffb""#.utf8))
        #expect(value.encoded == "\"a\u{FFFD}b\"" && value.propertyString == "a\u{FFFD}b")
        #expect(try value.argumentString() == "a\u{FFFD}b" && value.argumentLocation() == "file:a%FFb")
        #expect(try JSONValue.string("file:///a%20b").argumentLocation() == "/a b")
        #expect(throws: IPCError.invalidParameter) { try JSONValue.null.argumentLocation() }
        #expect(JSONParser.value(in: [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]) == ["\u{FFFD}": 1])
    }

    @Test func randomBytesDoNotTrap() {
        var generator = SeededGenerator.printingSeed()
        let alphabet = Array(#"{}[]":,\u0aD8-e.=nt"#.utf8) + [0, 0xFF, 0xC3]
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            if let value = JSONParser.value(in: bytes) {
                // A parsed value can be encoded and parsed again.
                #expect(JSONParser.value(in: value.encoded.utf8) != nil)
            }
        }
    }

    @Test("random values are the same after they were encoded and parsed")
    func randomValuesRoundTrip() {
        var generator = SeededGenerator.printingSeed()
        func text() -> String {
            let scalars = (0..<Int.random(in: 0...6, using: &generator)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x2FF, using: &generator))
            }
            return String(String.UnicodeScalarView(scalars))
        }
        func value(_ depth: Int) -> JSONValue {
            switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &generator) {
            case 0: .null
            case 1: .bool(Bool.random(using: &generator))
            case 2: .int(Int64.random(in: .min ... .max, using: &generator))
            case 3: .double(Double(Int64.random(in: -4_000_000...4_000_000, using: &generator)) / 64)
            case 4: .string(text())
            case 5: .array((0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth - 1) })
            default:
                .object(
                    Dictionary(
                        (0..<Int.random(in: 0...3, using: &generator)).map { _ in (text(), value(depth - 1)) },
                        uniquingKeysWith: { first, _ in first }))
            }
        }
        for _ in 0..<2000 {
            let original = value(3)
            #expect(JSONParser.value(in: original.encoded.utf8) == original)
        }
    }
}
