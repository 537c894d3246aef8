import ArgumentParser
import Testing

@testable import SwiftPlayCLI

@Suite struct OverviewCommandTests {
    @Test func theOverviewIsShownByDefault() throws { #expect(try OverviewCommand.parse([]).action == .show) }

    @Test func aProgramIsClosedByItsName() throws {
        let command = try OverviewCommand.parse(["close", "player"])
        #expect(command.action == .close && command.program == "player")
    }

    @Test("wrong arguments are refused", arguments: [["close"], ["show", "player"], ["open"], ["close", "a", "b"]])
    func wrongArgumentsAreRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { try OverviewCommand.parse(arguments) }
    }
}
