import TestSupport
import Testing

@testable import PushPolicy

@Suite struct JSONValidatorTests {
    @Test(arguments: [
        "{}", " {\"a\": [1, 2.5, -3e+7, 0.1E-2, true, false, null, \"x\\n\\u00e9\"]} ", "{\"a\":{\"b\":{\"c\":[[]]}}}",
        "{\"ü\":\"映\"}", "{\"a\":\"\\\\\\\"\"}",
    ])
    func validObjectsAreAccepted(_ text: String) throws { _ = try JSONValidator.members(of: Array(text.utf8)) }

    @Test(arguments: [
        "", " ", "[]", "1", "\"a\"", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{\"a\":01}", "{\"a\":1.}",
        "{\"a\":.5}", "{\"a\":+1}", "{\"a\":1e}", "{\"a\":tru}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"\n\"}", "{\"a\":\"", "{\"a\":[1,]}", "{\"a\":[1}", "{} {}", "{\"a\":1 \"b\":2}", "{\"a\":NaN}",
    ])
    func invalidTextsAreRefused(_ text: String) {
        #expect(throws: JSONValidator.InvalidText.self) { try JSONValidator.members(of: Array(text.utf8)) }
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        let bytes = Array("{\"a\":\"".utf8) + [0xff, 0xfe] + Array("\"}".utf8)
        #expect(throws: JSONValidator.InvalidText.self) { try JSONValidator.members(of: bytes) }
    }

    @Test func deepNestingIsRefused() throws {
        func nested(_ depth: Int) -> [UInt8] {
            let brackets = ["[", "]"].map { String(repeating: $0, count: depth - 1) }
            return Array("{\"a\":\(brackets.joined())}".utf8)
        }
        _ = try JSONValidator.members(of: nested(32))
        #expect(throws: JSONValidator.InvalidText.self) { try JSONValidator.members(of: nested(33)) }
        #expect(throws: JSONValidator.InvalidText.self) { try JSONValidator.members(of: nested(4000)) }
    }

    @Test func membersOfThreeLevelsAreReported() throws {
        let members = try JSONValidator.members(
            of: Array("{\"aps\":{\"a\":1,\"b\":{\"c\":{\"e\":2}}},\"d\":[{\"a\":3}]}".utf8))
        #expect(
            members == [
                ["aps"]: .object, ["aps", "a"]: .number(1), ["aps", "b"]: .object, ["aps", "b", "c"]: .object,
                ["d"]: .array,
            ])
    }

    @Test func damagedTextsNeverCrash() {
        var generator = SeededGenerator.printingSeed()
        let text = Array("{\"aps\":{\"content-available\":1,\"alert\":\"a\\u00e9\"},\"x\":[1.5e3,null]}".utf8)
        for _ in 0..<3000 {
            var damaged = text
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: damaged.indices, using: &generator)
                damaged[index] = UInt8.random(in: 0...255, using: &generator)
            }
            let length = Int.random(in: 0...damaged.count, using: &generator)
            _ = try? JSONValidator.members(of: Array(damaged.prefix(length)))
        }
    }
}
