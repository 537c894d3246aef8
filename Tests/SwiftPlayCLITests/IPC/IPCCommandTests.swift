import Testing

@testable import SwiftPlayCLI

@Suite struct IPCCommandTests {
    /// Creates a command from an object with named arguments.
    private func named(_ members: [String: JSONValue]) -> IPCCommand? {
        IPCCommand(named: members, argumentNames: PlayerCommand.parameterNames)
    }

    @Test func aListBeginsWithTheName() {
        #expect(IPCCommand(list: ["seek", 10, "absolute"]) == IPCCommand("seek", [10, "absolute"]))
        #expect(IPCCommand(list: ["quit"]) == IPCCommand("quit"))
    }

    @Test func aListWithoutANameIsRefused() {
        #expect(IPCCommand(list: []) == nil)
        #expect(IPCCommand(list: [1, "seek"]) == nil)
        #expect(IPCCommand(list: [.null]) == nil)
    }

    @Test func namedArgumentsAreSortedByPosition() {
        #expect(
            named(["name": "seek", "flags": "exact", "target": 5]) == IPCCommand("seek", [5, "exact"]))
    }

    @Test func anOmittedArgumentBeforeAnotherIsNull() {
        #expect(
            named(["name": "show-text", "text": "x", "level": 1])
                == IPCCommand("show-text", ["x", .null, 1]))
        #expect(named(["name": "show-text", "text": "x"]) == IPCCommand("show-text", ["x"]))
    }

    @Test func anUnknownArgumentNameIsRefused() {
        #expect(named(["name": "seek", "target": 5, "speed": 1]) == nil)
        #expect(named(["name": "frame-step", "count": 1]) == nil)
    }

    @Test func aCommandWithoutNamedArgumentsIsRefused() {
        #expect(named(["name": "cycle", "property": "pause"]) == nil)
        #expect(named(["target": 5]) == nil)
    }

    @Test func underscoresBecomeHyphens() {
        #expect(IPCCommand("frame_step").withoutPrefixes == IPCCommand("frame-step"))
        #expect(named(["name": "frame_step"]) == IPCCommand("frame_step"))
    }

    @Test func allPrefixesAreRemoved() {
        #expect(IPCCommand("no-osd", ["async", "seek", 5]).withoutPrefixes == IPCCommand("seek", [5]))
        #expect(IPCCommand("osd-msg-bar", ["raw", "quit"]).withoutPrefixes == IPCCommand("quit"))
    }

    @Test func prefixesAloneAreNoCommand() {
        #expect(IPCCommand("no-osd").withoutPrefixes == nil)
        #expect(IPCCommand("no-osd", ["async"]).withoutPrefixes == nil)
        #expect(IPCCommand("no-osd", [5]).withoutPrefixes == nil)
    }

    @Test func aPrefixAfterTheNameIsAnArgument() {
        #expect(IPCCommand("show-text", ["raw"]).withoutPrefixes == IPCCommand("show-text", ["raw"]))
    }
}
