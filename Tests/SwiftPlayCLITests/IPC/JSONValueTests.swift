import Testing

@testable import SwiftPlayCLI

@Suite struct JSONValueTests {
    @Test(
        arguments: [
            (JSONValue.null, "null"), (true, "true"), (-5, "-5"), (100.0, "100.000000"), (-0.5, "-0.500000"),
            (1e20, "100000000000000000000.000000"),
            (.double(.nan), "null"), (.double(.infinity), "null"),
            ("a\"b\\\u{1}\u{1f}é\n/\t\u{7f}", "\"a\\\"b\\\\\\u0001\\u001fé\\n/\\t\u{7f}\""),
            ([1, [], "x"], #"[1,[],"x"]"#), (["z": 1, "a": [:]], #"{"a":{},"z":1}"#),
        ] as [(JSONValue, String)])
    func valuesAreEncoded(_ value: JSONValue, _ expected: String) { #expect(value.encoded == expected) }

    @Test func theLargestDoubleIsEncodedCompletely() {
        #expect(JSONValue.double(.greatestFiniteMagnitude).encoded.utf8.count == 316)
    }

    @Test(
        arguments: [
            (JSONValue.bool(true), "yes"), (false, "no"), (7, "7"), (1.5, "1.500000"), ("x", "x"), ([], "[]"),
            (["a": true], #"{"a":true}"#), (.double(.nan), "nan"),
        ] as [(JSONValue, String)])
    func valuesBecomePropertyStrings(_ value: JSONValue, _ expected: String) {
        #expect(value.propertyString == expected)
    }

    @Test func nanEqualsItselfAndAnIntegerDiffersFromADouble() {
        #expect(JSONValue.double(.nan) == .double(.nan))
        #expect(JSONValue.int(1) != .double(1))
    }

    @Test func booleanValuesAreAcceptedAsInMPV() throws {
        #expect(try JSONValue.bool(true).propertyFlag())
        #expect(try JSONValue.string("yes").propertyFlag())
        #expect(try JSONValue.string("").propertyFlag())
        #expect(try !JSONValue.string("no").propertyFlag())
        for text in ["maybe", "true", "YES", "1"] {
            #expect(throws: IPCError.propertyFormat) { try JSONValue.string(text).propertyFlag() }
        }
        for value in [JSONValue.int(1), .double(0.5), .null, []] {
            #expect(throws: IPCError.propertyError) { try value.propertyFlag() }
        }
    }

    @Test func numbersAreAcceptedAsInMPV() throws {
        for (value, expected) in [
            (JSONValue.int(5), 5.0), (5.5, 5.5), ("55.5", 55.5), (" 5", 5), ("+5", 5), ("1e1", 10), ("0x10", 16),
        ] as [(JSONValue, Double)] {
            #expect(try value.propertyNumber() == expected)
        }
        for text in ["abc", "5x", "5 ", "nan", "inf", "50%", ""] {
            #expect(throws: IPCError.propertyFormat) { try JSONValue.string(text).propertyNumber() }
        }
        #expect(throws: IPCError.propertyFormat) { try JSONValue.int(11).propertyNumber(in: 0...10) }
        for value in [JSONValue.bool(true), [1], .null, [:]] {
            #expect(throws: IPCError.propertyError) { try value.propertyNumber() }
        }
    }

    @Test func argumentsAreAcceptedAsInMPV() throws {
        #expect(try JSONValue.string("10").argumentNumber() == 10)
        #expect(throws: IPCError.invalidParameter) { try JSONValue.string("abc").argumentNumber() }
        #expect(try JSONValue.string("10").argumentString() == "10")
        #expect(throws: IPCError.invalidParameter) { try JSONValue.int(10).argumentString() }
    }
}
