import Testing

@testable import DesktopBus

@Suite struct BusValueTests {
    @Test(
        "Basic types have the letters of the D-Bus specification",
        arguments: [
            (BusValue.byte(1), "y"), (.bool(true), "b"), (.int16(1), "n"), (.uint16(1), "q"), (.int32(1), "i"),
            (.uint32(1), "u"), (.int64(1), "x"), (.uint64(1), "t"), (.double(1), "d"), (.string(""), "s"),
            (.objectPath("/"), "o"), (.signature("s"), "g"), (.variant(.byte(1)), "v"),
        ])
    func basicTypesHaveTheLettersOfTheSpecification(_ value: BusValue, _ signature: String) {
        #expect(value.typeSignature == signature)
    }

    @Test(
        "Containers have the types of their contents",
        arguments: [
            (BusValue.bytes([]), "ay"), (.array(of: "o", []), "ao"), (.dictionary(["a": .byte(1)]), "a{sv}"),
            (.strings([]), "as"), (.entry(.string("a"), .variant(.byte(1))), "{sv}"),
            (.structure([.int32(1), .structure([.string(""), .bytes([])])]), "(i(say))"), (.structure([]), "()"),
        ])
    func containersHaveTheSignaturesOfTheirContents(_ value: BusValue, _ signature: String) {
        #expect(value.typeSignature == signature)
    }

    @Test("An empty list of strings keeps its element type")
    func emptyStringListKeepsItsElementType() {
        #expect(BusValue.strings([]) == .array(of: "s", []) && BusValue.strings([]) != .array(of: "o", []))
        #expect(BusValue.strings(["a", "b"]).elements == [.string("a"), .string("b")])
    }

    @Test("Variants are unwrapped through all levels, and other values stay unchanged")
    func unwrappedRemovesAllLevelsOfVariants() {
        #expect(BusValue.variant(.variant(.variant(.byte(3)))).unwrapped == .byte(3))
        #expect(BusValue.structure([.variant(.byte(3))]).unwrapped == .structure([.variant(.byte(3))]))
    }

    @Test(
        "Every integer type converts to Int64, including its extreme values",
        arguments: [
            (BusValue.byte(.max), 255), (.int16(.min), -32_768), (.uint16(.max), 65_535),
            (.int32(.min), -2_147_483_648), (.uint32(.max), 4_294_967_295), (.int64(.min), .min), (.int64(.max), .max),
            (.uint64(UInt64(Int64.max)), .max),
        ] as [(BusValue, Int64)])
    func everyIntegerTypeConvertsToInt64(_ value: BusValue, _ integer: Int64) {
        #expect(value.integer == integer)
    }

    @Test("Values beyond the range of Int64, and other types, have no integer")
    func valuesBeyondInt64AndOtherTypesHaveNoInteger() {
        #expect(BusValue.uint64(UInt64(Int64.max) + 1).integer == nil && BusValue.uint64(.max).integer == nil)
        for value in [BusValue.double(1), .bool(true), .string("1"), .variant(.byte(1))] {
            #expect(value.integer == nil, "\(value)")
        }
    }

    @Test("Numbers are floating-point values and integers")
    func floatingPointValuesAndIntegersAreNumbers() {
        #expect(BusValue.double(0.5).number == 0.5 && BusValue.int32(-3).number == -3)
        #expect(BusValue.bool(true).number == nil && BusValue.uint64(.max).number == nil)
    }

    @Test("Text is a string or an object path, but not a signature")
    func stringsAndObjectPathsAreText() {
        #expect(BusValue.string("a").text == "a" && BusValue.objectPath("/a").text == "/a")
        #expect(BusValue.signature("a").text == nil && BusValue.variant(.string("a")).text == nil)
    }

    @Test("Each accessor returns its own type only")
    func eachAccessorReturnsItsOwnTypeOnly() {
        let values: [BusValue] = [.bool(false), .dictionary([:]), .strings([]), .int32(0), .bytes([])]
        #expect(values.map(\.boolean) == [false, nil, nil, nil, nil])
        #expect(values.map { $0.dictionary != nil } == [false, true, false, false, false])
        #expect(values.map { $0.elements != nil } == [false, false, true, false, false])
    }
}
