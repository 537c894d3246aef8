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

    // MARK: Output

    private func output(
        _ option: OverviewCommand.Output? = nil, hasDisplay: Bool = true, isTerminal: Bool = false,
        isRedirected: Bool = false
    ) -> OverviewCommand.Output {
        .chosen(option, hasDisplay: hasDisplay, isTerminal: isTerminal, isRedirected: isRedirected)
    }

    @Test func aWindowIsTheDefaultWithADisplay() {
        #expect(output() == .x11 && output(isTerminal: true) == .x11)
    }

    @Test func aProgramThatReadsTheOutputReceivesText() { #expect(output(isRedirected: true) == .null) }

    @Test func withoutADisplayATerminalShowsThePictures() {
        #expect(output(hasDisplay: false, isTerminal: true) == .terminal && output(hasDisplay: false) == .null)
    }

    @Test(arguments: OverviewCommand.Output.allCases) func theOptionDecides(_ option: OverviewCommand.Output) {
        #expect(output(option) == option && output(option, hasDisplay: false, isRedirected: true) == option)
    }

    @Test func onlyTheOverviewItselfHasAnOutput() throws {
        #expect(try OverviewCommand.parse(["--vo=terminal"]).vo == .terminal)
        #expect(throws: (any Error).self) { try OverviewCommand.parse(["close", "a", "--vo=x11"]) }
        #expect(throws: (any Error).self) { try OverviewCommand.parse(["--vo=wayland"]) }
    }
}
