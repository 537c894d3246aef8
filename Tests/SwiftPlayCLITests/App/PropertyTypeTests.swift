import Testing

@testable import SwiftPlayCLI

@Suite struct PropertyTypeTests {
    @Test(
        arguments: [
            (PropertyType.time, 3725.9, "01:02:05"), (.time, -5.0, "-00:00:05"), (.delay, 0.5, "500 ms"),
            (.bytes, 1_349_069, "1.286 MiB"), (.bytes, 12, "12 B"), (.number(), 100.0, "100"),
            (.number(), 1.25, "1.25"),
            (.flag, true, "yes"), (.object, ["w": 1, "h": 2], "h=2\nw=1"), (.text, "x", "x"),
        ] as [(PropertyType, JSONValue, String)])
    func valuesAreShownForPeople(_ type: PropertyType, _ value: JSONValue, _ text: String) {
        #expect(type.displayText(of: value) == text)
    }

    @Test(
        arguments: [
            (50.0, false, "60"), (70.0, false, "50"), (55.0, false, "50"), (nil, false, "50"), (50.0, true, "70"),
            (nil, true, "70"),
        ] as [(JSONValue?, Bool, String)])
    func cyclingSelectsTheNextValue(_ current: JSONValue?, _ isBackward: Bool, _ next: String) {
        #expect(PlayerCommand.nextValue(after: current, in: ["50", "60", "70"], isBackward: isBackward) == next)
    }

    @Test func cyclingComparesTexts() {
        #expect(PlayerCommand.nextValue(after: "inf", in: ["inf", "no"], isBackward: false) == "no")
        #expect(PlayerCommand.nextValue(after: false, in: ["inf", "no"], isBackward: false) == "inf")
    }
}
