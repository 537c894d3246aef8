import Testing

@testable import SwiftPlayCLI

@Suite struct LoopCountTests {
    @Test("The number of repetitions excludes the first playback")
    func repetitionsExcludeTheFirstPlayback() {
        #expect(
            LoopCount.times(3).withoutFirstPlayback == .times(2) && LoopCount.times(1).withoutFirstPlayback == .times(0)
        )
        #expect(LoopCount.times(0).withoutFirstPlayback == .times(0), "there is no negative count")
        #expect(LoopCount.forever.withoutFirstPlayback == .forever)
    }

    @Test(
        "Malformed and too large numbers are refused", arguments: ["9223372036854775808", "1e3", " 1", "0x10", "INF"])
    func malformedNumbersAreRefused(_ text: String) {
        #expect(LoopCount(parsing: text) == nil)
    }

    @Test(
        "The property has mpv's values",
        arguments: [(LoopCount.forever, "inf"), (.times(0), false), (.times(1), 1), (.times(7), 7)]
            as [(LoopCount, JSONValue)])
    func thePropertyHasTheValuesOfMPV(_ count: LoopCount, _ value: JSONValue) {
        #expect(count.propertyValue == value)
    }

    @Test("A client may send a word, a number or a boolean")
    func wordsNumbersAndBooleansAreAccepted() throws {
        let values: [(JSONValue, LoopCount)] = [
            ("inf", .forever), ("no", .times(0)), ("5", .times(5)), (true, .forever), (false, .times(0)),
            (0, .times(0)), (1_000_000, .times(1_000_000)),
        ]
        for (value, count) in values { #expect(try LoopCount(value) == count, "\(value)") }
    }

    @Test("A word that states no count has no value")
    func anUnknownWordHasNoValue() throws {
        #expect(try LoopCount(JSONValue.string("often")) == nil)
    }

    @Test("A number out of range has the wrong format", arguments: [-1, 1_000_001, 1e300] as [JSONValue])
    func aNumberOutOfRangeHasTheWrongFormat(_ value: JSONValue) {
        #expect(throws: IPCError.propertyFormat) { try LoopCount(value) }
    }

    @Test("Values of other types are errors", arguments: [JSONValue.null, [1], ["a": 1]])
    func valuesOfOtherTypesAreErrors(_ value: JSONValue) {
        #expect(throws: IPCError.propertyError) { try LoopCount(value) }
    }
}
