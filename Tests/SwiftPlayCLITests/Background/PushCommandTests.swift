import ArgumentParser
import BackgroundProtocol
import Testing

@testable import SwiftPlayCLI

@Suite struct PushCommandTests {
    private func message(_ arguments: String...) throws -> PushMessage {
        try PushCommand.parse(["send", "--to", "player"] + arguments).message { Array("input".utf8) }
    }

    @Test func aNotificationIsUrgentAndHasNoKeyByDefault() throws {
        let message = try message("{}")
        #expect(message.program == "player" && message.payload == Array("{}".utf8))
        #expect(message.isUrgent && message.collapseKey.isEmpty && !message.identifier.isEmpty)
    }

    @Test func optionsSetKeyPriorityAndIdentifier() throws {
        let message = try message("--collapse", "feed", "--priority", "low", "--id", "7", "{}")
        #expect(message.collapseKey == "feed" && !message.isUrgent && message.identifier == "7")
    }

    @Test func aDashReadsStandardInput() throws { #expect(try message("-").payload == Array("input".utf8)) }

    /// Returns the message to the user about wrong arguments; nil if the arguments are valid.
    private func errorMessage(_ arguments: [String]) -> String? {
        do {
            _ = try PushCommand.parse(arguments)
            return nil
        } catch { return PushCommand.message(for: error) }
    }

    @Test(arguments: [["send", "{}"], ["send", "--to", "", "{}"]])
    func aNotificationRequiresItsProgram(_ arguments: [String]) {
        #expect(errorMessage(arguments) == "push send requires --to PROGRAM.")
    }

    @Test func theNameOfAProgramHasALimit() {
        let name = String(repeating: "x", count: 256)
        #expect(errorMessage(["send", "--to", name, "{}"]) == "--to requires a name of at most 255 bytes.")
    }

    @Test(arguments: [
        ["send", "{}"], ["send", "--to", "player"], ["receive", "--to", "player", "{}"],
        ["send", "--to", "player", "--priority", "medium", "{}"], ["send", "--to", "", "{}"],
        ["send", "--to", "player", "--id", String(repeating: "x", count: 129), "{}"],
        ["send", "--to", "player", "--collapse", String(repeating: "x", count: 129), "{}"],
    ])
    func otherArgumentsAreRefused(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try PushCommand.parse(arguments) }
    }
}
